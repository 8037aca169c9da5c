/*
 * draw.h: the pictures, and what they have in common.
 *
 *   flow.c        which ranks talk to which: a chain, a ring, a tree, or a circle of all
 *   spacetime.c   a line for each rank, time to the right, an arrow for each message
 *   schedule.c    who computes when: the spans, and the share of time in which nobody does
 *   collective.c  the blocks of a collective before and after, each in the colour of the rank it comes from
 *   streams.c     what each stream of each GPU was busy with, and what communication was hidden behind computing
 *   overlap.c     the same as numbers
 *   matrix.c      who sent how many bytes to whom
 *   waitfor.c     who waits for whom, from the report of a run that got stuck (waitfor_*.c)
 */
#ifndef DRAW_H
#define DRAW_H

#include "dot.h"
#include "json.h"
#include "order.h"

#define MOST_RANKS 16 /* more are drawn in groups, or only the first and the last */

/* What was asked for. */
struct wish {
    const char *title; /* NULL: the picture's own */
    const char
        *name; /* collective: which call; NULL: the first. streams: the span to begin with; NULL: no spans */
    int nth;   /* the nth of those, from 0 */
    bool time; /* by the clock, not by logic */
    bool clocks; /* spacetime: Lamport's numbers beside the events */
};

/* Each prints one picture. False: why (of 200 bytes) says in one sentence why there is none. */
bool draw_flow(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_spacetime(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_schedule(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_collective(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_streams(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_overlap(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_matrix(struct picture *p, const struct run *run, const struct wish *wish, char *why);
bool draw_waitfor(struct picture *p, struct json *json, const struct wish *wish, char *why);

/* ---- words.c ---------------------------------------------------------------------- */

/* "[1, 2]", at most `most` elements of it. */
const char *words_elements(const struct elements *elements, int most, char *text, size_t size);
/* "8 B", "4.1 KiB". */
const char *words_bytes(int64_t bytes, char *text, size_t size);
/* What a message carries: its elements where the trace has them, else how many they are, or its bytes. */
const char *words_message(const struct run *run, int message, char *text, size_t size);

/* ---- overlap.c ---------------------------------------------------------------------- */

/* Of a rank (-1: of all): microseconds in which it computed, communicated, did both. Copies between host and GPU count as
 * neither. */
struct overlap {
    double computing, communicating, both;
};
struct overlap overlap_of(const struct run *run, int rank);
double overlap_share(struct overlap overlap); /* of what could be hidden; 0 where that is nothing */

/* ---- who is drawn ------------------------------------------------------------------- */

/* With many ranks only the first half and the last half of MOST_RANKS. Gives the row of a rank; -1: not drawn. */
int row_of(const struct run *run, int rank);
int row_count(const struct run *run);
int rank_of_row(const struct run *run, int row);

#endif
