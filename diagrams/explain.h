/*
 * explain.h: one page that explains a run that failed.
 *
 *   explain.c          the command, and the page from top to bottom
 *   explain_svg.c      a picture in it: DOT, and what Graphviz makes of it
 *   explain_source.c   the lines of the program that the report names, and a change of one line
 */
#ifndef EXPLAIN_H
#define EXPLAIN_H

#include "draw.h"

/* A text, with what has a meaning in HTML written so that it has none. */
void explain_text(FILE *page, const char *text);

/* A picture that was drawn as DOT: the SVG where Graphviz is there, and the DOT, hidden. False: there is no Graphviz. */
bool explain_svg(FILE *page, const char *dot, const char *label);

/* The lines around each place that the report names, looked for below `folder`. */
void explain_source(FILE *page, const struct value *report, const char *folder);

/* What to change, where that is a number in one line: a tag, or a rank. */
void explain_change(FILE *page, const struct value *report, const char *folder);

#endif
