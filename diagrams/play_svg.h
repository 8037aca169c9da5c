/*
 * play_svg.h: a run as a moving picture that needs no script: an SVG with CSS animation, for a page that only shows images.
 *
 *   play_svg.c     the document: look, ranks, messages, values
 *   play_moves.c   the animation: when something is seen, and which way it goes
 *   play_ring.c    where everything stands
 */
#ifndef PLAY_SVG_H
#define PLAY_SVG_H

#include "dot.h"
#include "play_story.h"

#include <stdio.h>

#define SVG_RANKS 16
#define SVG_MESSAGES 300 /* some 200 KB */

/* What was asked for. */
struct command {
    const char *file, *out, *title, *caption;
    bool blocks;
};

/* For runs with at most that many ranks and messages. False: no memory. */
bool play_svg(FILE *file, const struct run *run, const struct order *order, const struct command *command);

/* ---- play_ring.c: y grows downward, the middle of the ring is 0, 0 ----------------------------------- */

struct ring {
    int ranks, slots;
    double slot;         /* width of what holds one value */
    struct point card;   /* half the width and height of a rank's card */
    struct point radius; /* of the ellipse on which the cards stand */
};

struct ring ring_of(const struct story *story);
struct point ring_card(const struct ring *ring, int rank);
struct point ring_slot(const struct ring *ring, int rank, int block);

/* The way from a to b at part 0 to 1: it bends to the left, so that two ways between the same ends do not meet. */
struct point ring_way(struct point a, struct point b, double part);

/* The parts of the way between two cards at which it leaves the one and comes to the other. */
void ring_gap(const struct ring *ring, int src, int dst, double *leaves, double *comes);

/* ---- play_moves.c ---------------------------------------------------------------------------------------- */

/* Print keyframes for all that moves, and note their numbers in the story: an element with animation-name: kNUMBER moves so.
 * Gives the seconds of a round. */
double moves_print(FILE *file, struct story *story, const struct ring *ring);

#endif
