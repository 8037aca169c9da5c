/* collective.h: the blocks of a collective, between knowing (blocks.c) and drawing (collective.c). */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "draw.h"

/* What a call does to the blocks. */
enum effect { EFFECT_COPY, EFFECT_REDUCE, EFFECT_GATHER, EFFECT_SCATTER, EFFECT_REDUCE_SCATTER, EFFECT_SWAP };
struct shape {
    const char *name, *title;
    enum effect effect;
    bool rooted;
};

/* One collective, as all members called it. */
struct scene {
    struct picture *p;
    const struct run *run;
    const struct shape *shape;
    const struct act **act; /* by place in the group; NULL: not recorded */
    int *rank;              /* the members */
    int count, root;
    double cell; /* width of a block */
};

#define ALL (-1) /* the origin of what was combined */

/* What a call of this name does; NULL: it moves no blocks. */
const struct shape *scene_shape(const char *name);

/* How many blocks a member has, the member that one of them comes from, and what is written on it. */
int scene_blocks(const struct scene *s, int member, bool after);
int scene_origin(const struct scene *s, int member, int block, bool after);
void scene_label(const struct scene *s, int member, int block, bool after, char *text, size_t size);

#endif
