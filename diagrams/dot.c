/* dot.c: prints DOT. Numbers have one digit behind the point, so that no compiler's rounding shows. */
#include "dot.h"

#include <math.h>
#include <string.h>

#define COLOURS 8

static const char *const strong[COLOURS] = { "#0072B2", "#C77700", "#00805C", "#A8487F",
                                             "#6B5CA5", "#B4432E", "#2E7F8F", "#6E7A1F" };
static const char *const pale[COLOURS] = { "#DCEBF7", "#FCEBCB", "#D5F0E6", "#F7E1EE",
                                           "#E6E2F5", "#FBE3DC", "#DAEFF2", "#EFF2D6" };
static const char *const cell[COLOURS] = { "#BBD9EF", "#FBDDA6", "#B4E2D0", "#EBC7DD",
                                           "#CFC8EC", "#F3C3B5", "#B5DDE4", "#DDE3A8" };

const char *rank_strong(int rank)
{
    return strong[rank % COLOURS];
}

const char *rank_pale(int rank)
{
    return pale[rank % COLOURS];
}

const char *rank_cell(int rank)
{
    return cell[rank % COLOURS];
}

/* ---- text ------------------------------------------------------------------------ */

static double line_width(const char *text, size_t length)
{
    double width = 0;
    for (size_t i = 0; i < length; i++)
        width += strchr("ijlft.,:;|'![]() ", text[i]) ? 0.32 : strchr("mwMW@%", text[i]) ? 0.88 : 0.58;
    return width;
}

double text_width(const char *text, double size)
{
    double widest = 0;
    for (;;) {
        size_t length = strcspn(text, "\n");
        widest = fmax(widest, line_width(text, length));
        if (!text[length])
            return widest * size;
        text += length + 1;
    }
}

int text_lines(const char *text)
{
    int lines = 1;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

void dot_put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        if (*text == '\n')
            fputs("\\n", file);
        else if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if (*text == '&')
            fputs("&amp;", file);
        else if ((unsigned char)*text >= 0x20)
            putc(*text, file);
    }
}

/* ---- numbers ------------------------------------------------------------------------ */

/* Rounded to tenths; 0 has no sign. */
static double tenth(double x)
{
    x = floor(x * 10 + 0.5) / 10;
    return x == 0 ? 0 : x;
}

void dot_point(FILE *file, const char *before, struct point p)
{
    fprintf(file, "%s%.1f,%.1f", before, tenth(p.x), tenth(p.y));
}

/* ---- the picture ---------------------------------------------------------------------- */

void dot_begin(struct picture *p, const char *name)
{
    fprintf(p->file,
            "digraph %s {\n"
            "  graph [bgcolor=\"white\", pad=\"0.3\", splines=true, outputorder=edgesfirst, "
            "fontname=\"Helvetica,Arial,sans-serif\"];\n"
            "  node [fontname=\"Helvetica,Arial,sans-serif\", fontsize=14, fontcolor=\"" INK
            "\", fixedsize=true, "
            "margin=0, penwidth=2];\n"
            "  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=12, color=\"" SOFT "\", penwidth=2, "
            "arrowsize=0.85];\n",
            name);
}

void dot_title(struct picture *p, struct point middle, const char *title, const char *subtitle)
{
    struct node head = { .shape = "plaintext", .size = 19, .bold = true, .height = 26 };
    struct node line = { .shape = "plaintext", .size = 12.5, .ink = SOFT, .height = 18 };
    head.width = text_width(title, 22) + 20;
    line.width = text_width(subtitle, 12.5) + 8;
    dot_node(p, "title", 0, (struct point){ middle.x, middle.y + 22 }, head, title);
    dot_node(p, "subtitle", 0, middle, line, subtitle);
}

void dot_end(struct picture *p)
{
    fputs("}\n", p->file);
}

void dot_node(struct picture *p, const char *name, int number, struct point at, struct node node,
              const char *text)
{
    fprintf(p->file, "  %s%d [shape=%s", name, number, node.shape ? node.shape : "box");
    if (node.style)
        fprintf(p->file, ", style=\"%s\"", node.style);
    if (node.fill)
        fprintf(p->file, ", fillcolor=\"%s\"", node.fill);
    if (node.color)
        fprintf(p->file, ", color=\"%s\"", node.color);
    if (node.ink)
        fprintf(p->file, ", fontcolor=\"%s\"", node.ink);
    if (node.pen != 0)
        fprintf(p->file, ", penwidth=%.1f", node.pen < 0 ? 0 : node.pen);
    if (node.size > 0)
        fprintf(p->file, ", fontsize=%.1f", node.size);
    if (node.bold)
        fputs(", fontname=\"Helvetica-Bold\"", p->file);
    fprintf(p->file, ", width=%.3f, height=%.3f, label=\"", node.width / 72, node.height / 72);
    dot_put_text(p->file, text);
    dot_point(p->file, "\", pos=\"", at);
    fputs("\"];\n", p->file);
}

/* Edges need nodes; these are points that nobody sees. Their names need not differ: each edge has its own pair. */
static int hidden_pair(struct picture *p, struct point a, struct point b)
{
    static const char shape[] = " [shape=point, style=invis, width=0.01, height=0.01, label=\"\"";
    int name = p->parts++;
    fprintf(p->file, "  a%d%s", name, shape);
    dot_point(p->file, ", pos=\"", a);
    fprintf(p->file, "\"];\n  b%d%s", name, shape);
    dot_point(p->file, ", pos=\"", b);
    fputs("\"];\n", p->file);
    return name;
}

void dot_curve(struct picture *p, struct point a, struct point c, struct point d, struct point b,
               struct stroke stroke)
{
    bool headless = stroke.head && strcmp(stroke.head, "none") == 0;
    int name = hidden_pair(p, a, b);
    fprintf(p->file, "  a%d -> b%d [color=\"%s\"", name, name, stroke.color);
    if (stroke.width > 0)
        fprintf(p->file, ", penwidth=%.1f", stroke.width);
    if (stroke.dashed)
        fputs(", style=dashed", p->file);
    if (stroke.head)
        fprintf(p->file, ", arrowhead=%s", stroke.head);
    if (stroke.head && !headless)
        fputs(", arrowsize=0.6", p->file);
    fputs(", pos=\"", p->file);
    struct point end = b;
    if (!headless) { /* the head is drawn from the curve's end to b */
        double dx = b.x - d.x, dy = b.y - d.y, length = sqrt(dx * dx + dy * dy), head = stroke.head ? 7 : 9;
        if (length > head)
            end = (struct point){ b.x - dx / length * head, b.y - dy / length * head };
        dot_point(p->file, "e,", b);
        putc(' ', p->file);
    }
    dot_point(p->file, "", a);
    dot_point(p->file, " ", c);
    dot_point(p->file, " ", d);
    dot_point(p->file, " ", end);
    fputs("\"];\n", p->file);
}

void dot_line(struct picture *p, struct point a, struct point b, struct stroke stroke)
{
    struct point c = { a.x + (b.x - a.x) / 3, a.y + (b.y - a.y) / 3 };
    struct point d = { a.x + (b.x - a.x) * 2 / 3, a.y + (b.y - a.y) * 2 / 3 };
    dot_curve(p, a, c, d, b, stroke);
}

void dot_bar(struct picture *p, struct point a, struct point b, const char *color, double width)
{
    dot_line(p, a, b, (struct stroke){ .color = color, .head = "none", .width = width });
}

void dot_tag(struct picture *p, struct point at, const char *color, double size, const char *text)
{
    struct node tag = {
        .style = "rounded,filled", .fill = "white", .color = color, .pen = 1.2, .size = size
    };
    tag.width = text_width(text, size) + 12;
    tag.height = text_lines(text) * size * 1.25 + 6;
    dot_node(p, "t", p->parts++, at, tag, text);
}

void dot_text(struct picture *p, struct point at, double size, const char *ink, const char *text)
{
    struct node plain = { .shape = "plaintext", .ink = ink, .size = size };
    plain.width = text_width(text, size) + 6;
    plain.height = text_lines(text) * size * 1.2 + 4;
    dot_node(p, "w", p->parts++, at, plain, text);
}
