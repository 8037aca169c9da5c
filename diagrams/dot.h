/*
 * dot.h: the drawing: DOT with every position given, for `neato -n2`. The same look in all pictures: palette, fonts,
 * shapes. Lengths are points (72 to the inch), y grows upward.
 */
#ifndef DOT_H
#define DOT_H

#include <stdbool.h>
#include <stdio.h>

#define INK "#1F2933"    /* text */
#define SOFT "#52606D"   /* less important text, plain arrows */
#define GREY "#9AA5B1"   /* lines that lie behind */
#define PALE "#DDE3E9"   /* waiting */
#define GROUND "#EEF1F4" /* nothing happens here */
#define SIDE "#F1F4F7"   /* a box that does not matter */
#define RED "#D92D20"    /* what is wrong */
#define RED_PALE "#FDE2E1"
#define RED_INK "#B42318"
#define BLUE "#0072B2"
#define AMBER "#F2B134"

/* The colours of a rank: a strong one, a pale one, and one for cells. They repeat after eight. */
const char *rank_strong(int rank);
const char *rank_pale(int rank);
const char *rank_cell(int rank);

struct point {
    double x, y;
};

/* A picture that is being drawn. */
struct picture {
    FILE *file;
    int parts; /* counts what needs no name of its own */
};

/* One node. Zero means: the usual. */
struct node {
    const char *shape; /* "box", "circle", "plaintext" */
    const char *style; /* "filled", "rounded,filled" */
    const char *fill, *color, *ink;
    double pen, width, height, size; /* size: of the text */
    bool bold;
};

/* Begin and end a picture. The title stands over `middle`, which is a little above what is drawn. */
void dot_begin(struct picture *p, const char *name);
void dot_title(struct picture *p, struct point middle, const char *title, const char *subtitle);
void dot_end(struct picture *p);

/* A node; the format makes its text, in which \n begins a new line. The name is printed as "%s%d". */
void dot_node(struct picture *p, const char *name, int number, struct point at, struct node node,
              const char *text);

/* An arrow along a Bezier curve from a to b, past c and d. width 0: the usual. head NULL: an arrow head; "none". */
struct stroke {
    const char *color, *head;
    double width;
    bool dashed;
};
void dot_curve(struct picture *p, struct point a, struct point c, struct point d, struct point b,
               struct stroke stroke);
void dot_line(struct picture *p, struct point a, struct point b, struct stroke stroke);

/* A thick bar without an end: waiting, computing. */
void dot_bar(struct picture *p, struct point a, struct point b, const char *color, double width);

/* A small white box with a coloured rim that sits on an arrow. */
void dot_tag(struct picture *p, struct point at, const char *color, double size, const char *text);

/* Plain text, `size` points high, with its middle at `at`. */
void dot_text(struct picture *p, struct point at, double size, const char *ink, const char *text);

/* Parts of such: a text between quotes, where DOT reads & as in HTML; and a place, rounded, so that no machine's last bit shows. */
void dot_put_text(FILE *file, const char *text);
void dot_point(FILE *file, const char *before, struct point p);

/* How wide a text is, about, and how many lines it has. */
double text_width(const char *text, double size);
int text_lines(const char *text);

#endif
