/*
 * test_drawn.c: can the lessons' pictures be read? Measured on every committed diagrams/drawn/NAME.dot: on a page of 838 pixels,
 * which is what GitHub gives an image, no text is lower than 9 pixels; no label lies on another, or on the head of an arrow; no box of
 * a stream lies on the name in an earlier one. And does each SVG say its colours so that any program can draw them?
 */
#define _GNU_SOURCE
#include "../diagrams/dot.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 838.0
#define SMALLEST 9.0
#define PAD (0.3 * 72) /* dot_begin asks for it, on each side */
#define SLACK 1.0      /* that much may touch */

TestSuite(drawn, .timeout = 60);

struct box {
    struct point at;
    double width, height;
    char text[80];
};

/* One picture, as far as this page looks at it. */
struct drawn {
    struct box labels[2000], heads[2000], names[2000]; /* names: in the boxes of streams */
    int label_count, head_count, name_count, covered;  /* covered: names under a box that was drawn later */
    double left, right, smallest;                      /* smallest: size of a text, in points */
};

/* What stands behind `name=`, without the quote; an empty string where there is none. "penwidth" is no "width". */
static const char *attribute(const char *line, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(line, name); at; at = strstr(at + 1, name))
        if ((at[-1] == ' ' || at[-1] == '[') && at[length] == '=')
            return at + length + 1 + (at[length + 1] == '"');
    return "";
}

static double number(const char *line, const char *name, double usual)
{
    const char *text = attribute(line, name);
    return *text ? strtod(text, NULL) : usual;
}

static void widen(struct drawn *d, double left, double right)
{
    d->left = fmin(d->left, left);
    d->right = fmax(d->right, right);
}

/* The text of a label, with its lines. */
static void read_text(const char *label, char *text, size_t size)
{
    size_t used = 0;
    for (; *label && *label != '"' && used + 1 < size; label++)
        if (label[0] == '\\' && label[1] == 'n') {
            text[used++] = '\n';
            label++;
        } else {
            text[used++] = *label;
        }
    text[used] = 0;
}

/* A box of a stream: names that were drawn before must not lie under it. */
static void read_slice(struct drawn *d, const struct box *box, double size)
{
    for (int i = 0; i < d->name_count; i++)
        d->covered += fabs(box->at.x - d->names[i].at.x) < (box->width + d->names[i].width) / 2 - SLACK &&
                      fabs(box->at.y - d->names[i].at.y) < 1;
    cr_assert(d->name_count < 2000);
    if (!box->text[0])
        return;
    d->names[d->name_count] = *box;
    d->names[d->name_count++].width = text_width(box->text, size);
}

/* A tag is as large as its box, which is white; other text has no box that hides anything. */
static void read_node(struct drawn *d, const char *line)
{
    struct box box = { .width = 72 * number(line, "width", 0), .height = 72 * number(line, "height", 0) };
    double size = number(line, "fontsize", 14);
    if (sscanf(attribute(line, "pos"), "%lf,%lf", &box.at.x, &box.at.y) != 2)
        return;
    read_text(attribute(line, "label"), box.text, sizeof box.text);
    widen(d, box.at.x - box.width / 2, box.at.x + box.width / 2);
    if (line[2] == 's' && line[3] >= '0' && line[3] <= '9')
        read_slice(d, &box, size);
    if (!box.text[0])
        return;
    d->smallest = fmin(d->smallest, size);
    if (line[2] == 'w') {
        box.width = text_width(box.text, size);
        box.height = text_lines(box.text) * size;
    }
    cr_assert(d->label_count < 2000);
    if (line[2] == 'w' || line[2] == 't')
        d->labels[d->label_count++] = box;
}

/* "e,X,Y" is the tip of the head; the last point is where it begins. Small heads end the lines of time. */
static void read_edge(struct drawn *d, const char *line)
{
    const char *text = attribute(line, "pos");
    struct point tip, at = { 0, 0 };
    bool head = sscanf(text, "e,%lf,%lf", &tip.x, &tip.y) == 2 && !*attribute(line, "arrowsize");
    for (text += *text == 'e' ? strcspn(text, " ") : 0; *text && *text != '"'; text += strcspn(text, " \"")) {
        text += strspn(text, " ");
        if (sscanf(text, "%lf,%lf", &at.x, &at.y) == 2)
            widen(d, at.x, at.x);
    }
    cr_assert(d->head_count < 2000);
    if (head)
        d->heads[d->head_count++] =
            (struct box){ .at = { (tip.x + at.x) / 2, (tip.y + at.y) / 2 }, .width = 7, .height = 7 };
}

static bool read_picture(struct drawn *d, const char *path)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    *d = (struct drawn){ .left = INFINITY, .right = -INFINITY, .smallest = INFINITY };
    while (file && getline(&line, &room, file) > 0) {
        if (strstr(line, " -> "))
            read_edge(d, line);
        else if (strncmp(line, "  graph", 7) != 0 && strncmp(line, "  node", 6) != 0 &&
                 strncmp(line, "  edge", 6) != 0)
            read_node(d, line);
    }
    free(line);
    return file && fclose(file) == 0 && d->right > d->left;
}

static bool overlap(const struct box *a, const struct box *b)
{
    return fabs(a->at.x - b->at.x) < (a->width + b->width) / 2 - SLACK &&
           fabs(a->at.y - b->at.y) < (a->height + b->height) / 2 - SLACK;
}

/* Of the smallest text, where the picture is as wide as the page at most; a picture that is narrower is not blown up. */
static double pixels(const struct drawn *d)
{
    return d->smallest * fmin(96.0 / 72, PAGE / (d->right - d->left + 2 * PAD));
}

static int hidden(const struct drawn *d, const char *path)
{
    int count = 0;
    for (int i = 0; i < d->label_count; i++) {
        const struct box *label = &d->labels[i];
        for (int j = 0; j < i; j++)
            if (overlap(label, &d->labels[j]) && ++count)
                cr_expect_fail("%s: \"%s\" lies on \"%s\"", path, label->text, d->labels[j].text);
        for (int j = 0; j < d->head_count; j++)
            if (overlap(label, &d->heads[j]) && ++count)
                cr_expect_fail("%s: \"%s\" lies on the head of an arrow", path, label->text);
    }
    return count;
}

static struct drawn drawn;

Test(drawn, pictures_can_be_read_on_a_page)
{
    glob_t found;
    cr_assert(glob("diagrams/drawn/*.dot", 0, NULL, &found) == 0 && found.gl_pathc > 80);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        cr_assert(read_picture(&drawn, found.gl_pathv[i]), "%s", found.gl_pathv[i]);
        cr_expect(pixels(&drawn) >= SMALLEST, "%s: its smallest text is %.1f pixels high", found.gl_pathv[i],
                  pixels(&drawn));
        cr_expect(hidden(&drawn, found.gl_pathv[i]) == 0);
        cr_expect(drawn.covered == 0, "%s: %d names lie under a box", found.gl_pathv[i], drawn.covered);
    }
    globfree(&found);
}

/* librsvg, and what uses it, draws black what has its colour from a var() of CSS. */
Test(drawn, colours_are_said_where_they_are_used)
{
    static char text[1 << 20];
    glob_t found;
    cr_assert(glob("diagrams/drawn/*.svg", 0, NULL, &found) == 0 && found.gl_pathc > 80);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        FILE *file = fopen(found.gl_pathv[i], "r");
        cr_assert(file, "%s", found.gl_pathv[i]);
        size_t length = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        text[length] = '\0';
        cr_expect(strstr(text, "</svg>") && !strstr(text, "var("), "%s", found.gl_pathv[i]);
    }
    globfree(&found);
}

/* The measure itself: it must see what is wrong. */
Test(drawn, the_measure_sees_what_is_wrong)
{
    struct picture p = { .file = fopen("build/test_drawn.dot", "w") };
    cr_assert(p.file);
    dot_begin(&p, "bad");
    dot_line(&p, (struct point){ 0, 0 }, (struct point){ 1500, 0 }, (struct stroke){ .color = SOFT });
    dot_tag(&p, (struct point){ 1495, 0 }, SOFT, 11, "on the head");
    dot_tag(&p, (struct point){ 300, 0 }, SOFT, 11, "under");
    dot_node(&p, "s", 7, (struct point){ 700, 0 }, (struct node){ .width = 90, .height = 20, .size = 12 },
             "hidden");
    dot_node(&p, "s", 8, (struct point){ 750, 0 }, (struct node){ .width = 90, .height = 20, .size = 12 },
             "seen");
    dot_node(&p, "s", 9, (struct point){ 820, 0 }, (struct node){ .width = 90, .height = 20, .size = 12 },
             "");
    dot_text(&p, (struct point){ 310, 3 }, 10, SOFT, "over");
    dot_end(&p);
    fclose(p.file);
    cr_assert(read_picture(&drawn, "build/test_drawn.dot"));
    remove("build/test_drawn.dot");
    cr_expect(pixels(&drawn) < 6 && pixels(&drawn) > 5, "%g", pixels(&drawn));
    cr_expect(drawn.name_count == 2 && drawn.covered == 1, "%d of %d names", drawn.covered, drawn.name_count);
    cr_expect(drawn.label_count == 3 && drawn.head_count == 1);
    cr_expect(overlap(&drawn.labels[0], &drawn.heads[0]) && overlap(&drawn.labels[1], &drawn.labels[2]));
    cr_expect(!overlap(&drawn.labels[0], &drawn.labels[1]));
}
