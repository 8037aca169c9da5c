/* flow.h: the picture of who talks to whom, between gathering (flow.c) and placing (flow_place.c). */
#ifndef FLOW_H
#define FLOW_H

#include "draw.h"

enum flow_shape { SHAPE_CHAIN, SHAPE_RING, SHAPE_TREE, SHAPE_CIRCLE };

/* All that went from one node to another. */
struct link {
    int count;
    int64_t bytes;
    char text[320]; /* its tag */
};

/* What a node did. */
struct part {
    int sends, receives;
    bool sends_first, starts, stuck;
};

struct flow {
    struct picture *p;
    const struct run *run;
    int nodes, each;    /* each: ranks that one node stands for */
    struct link *links; /* nodes * nodes, by source, then by destination */
    struct part parts[MOST_RANKS];
    enum flow_shape shape;
    struct point at[MOST_RANKS];
    double radius; /* of the circle that they stand on */
    struct point center;
};

/* An arrow and where its tag sits. */
struct curve {
    struct point a, c, d, b, tag;
};

/* Find the shape, and a place for every node. */
void flow_place(struct flow *flow);
struct curve flow_curve(const struct flow *flow, int src, int dst);

double flow_no_width(const struct act *span);

#endif
