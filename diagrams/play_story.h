/*
 * play_story.h: a run as a story for a moving picture: what is on its way, and what each rank is known to hold.
 *
 * A trace tells what was sent and received, not what becomes of it. So a rank holds what it sent or received last. Whoever knows
 * that the program passes blocks on (a ring, a chain) may say so: then what a rank sends is the block that it received last
 * before, changed or not, each block has a place of its own, and what a rank added is the difference.
 */
#ifndef PLAY_STORY_H
#define PLAY_STORY_H

#include "order.h"

#define STORY_BLOCKS 8
#define STORY_WIDTH \
    330 /* of all blocks of a rank; where there are more or wider ones, it shows only what it held last */
#define STORY_TEXT 20

/* A message on its way. */
struct trip {
    int src, dst, block;
    double from, to; /* places of the order */
    bool whole;      /* it carries what the block is in the end */
    char text[STORY_TEXT];
    int move; /* for play_moves.c */
};

/* What a rank holds of a block for some time. */
struct hold {
    int rank, block;
    double from, to; /* to < 0: until the end */
    bool whole;
    char text[STORY_TEXT], added[STORY_TEXT]; /* added: "+101", or nothing */
    int move, rise;                           /* for play_moves.c */
};

struct story {
    int ranks, blocks;
    struct trip *trips;
    int trip_count;
    struct hold *holds;
    int hold_count;
    double end;
};

/* The width of the box for a text. */
double story_width(const char *text);

/* blocks: messages pass blocks on. False: no memory. Free it in both cases. */
bool story_tell(struct story *story, const struct run *run, const struct order *order, bool blocks);
void story_free(struct story *story);

#endif
