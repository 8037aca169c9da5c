/*
 * waitfor.h: who waits for whom, as a drawing.
 *
 * The ranks of the cycle stand around it, the others beside it. All positions are computed here, so the drawing is the
 * same on every machine:  neato -n2 -Tsvg waitfor.dot
 */
#ifndef WAITFOR_H
#define WAITFOR_H

#include <stdbool.h>
#include <stdio.h>

struct waitfor_picture {
    const char *class;    /* "deadlock": the usual title begins so */
    const char *title;    /* NULL: the usual one, "Deadlock: ranks 0 and 1 wait for each other" */
    int count;            /* ranks */
    const char **doing;   /* per rank: "send to 1", "finished", at most 20 letters */
    const bool *finished; /* per rank: drawn dashed */
    int edge_count;
    int (*edges)[2];  /* who waits, for whom */
    int cycle_count;  /* 0: there is none */
    const int *cycle; /* different ranks, each waits for the next */
};

#define WAITFOR_MOST 16 /* ranks that are drawn one by one; of more a few stand for all */

/* Print it as DOT. False: there is no memory, or the file could not be written. */
bool waitfor_write(const struct waitfor_picture *picture, FILE *file);

#endif
