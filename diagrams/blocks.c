/* blocks.c: which blocks each rank has before and after a collective, and where they come from. */
#include "collective.h"

#include <string.h>

static const struct shape shapes[] = {
    { "broadcast", "Broadcast", EFFECT_COPY, true },
    { "reduce", "Reduce", EFFECT_REDUCE, true },
    { "all_reduce", "All-reduce", EFFECT_REDUCE, false },
    { "gather", "Gather", EFFECT_GATHER, true },
    { "all_gather", "All-gather", EFFECT_GATHER, false },
    { "scatter", "Scatter", EFFECT_SCATTER, true },
    { "reduce_scatter", "Reduce-scatter", EFFECT_REDUCE_SCATTER, false },
    { "all_to_all", "All-to-all", EFFECT_SWAP, false },
};

const struct shape *scene_shape(const char *name)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (strcmp(shapes[i].name, name) == 0)
            return &shapes[i];
    return NULL;
}

int scene_blocks(const struct scene *s, int member, bool after)
{
    enum effect e = s->shape->effect;
    bool root = !s->shape->rooted || member == s->root;
    if (e == EFFECT_GATHER)
        return !after ? 1 : root ? s->count : 0;
    if (e == EFFECT_SCATTER)
        return after ? 1 : root ? s->count : 0;
    if (e == EFFECT_REDUCE_SCATTER)
        return after ? 1 : s->count;
    return e == EFFECT_SWAP ? s->count : 1;
}

/* The member that a block comes from. */
int scene_origin(const struct scene *s, int member, int block, bool after)
{
    bool root = !s->shape->rooted || member == s->root;
    if (!after)
        return member;
    switch (s->shape->effect) {
    case EFFECT_COPY:
    case EFFECT_SCATTER:
        return s->root;
    case EFFECT_REDUCE:
        return root ? ALL : member;
    case EFFECT_REDUCE_SCATTER:
        return ALL;
    case EFFECT_GATHER:
    case EFFECT_SWAP:
        break;
    }
    return block;
}

/* The letter of the rank it comes from, and which of its blocks: "A0". */
static void plain_label(const struct scene *s, int member, int block, bool after, char *text, size_t size)
{
    enum effect e = s->shape->effect;
    int from = scene_origin(s, member, block, after), part = -1;
    if (e == EFFECT_SCATTER || e == EFFECT_REDUCE_SCATTER)
        part = after ? member : block;
    if (e == EFFECT_SWAP)
        part = after ? member : block;
    if (from == ALL)
        snprintf(text, size, part < 0 ? "sum" : "sum %d", part);
    else if (part < 0)
        snprintf(text, size, "%c", 'A' + from % 26);
    else
        snprintf(text, size, "%c%d", 'A' + from % 26, part);
}

void scene_label(const struct scene *s, int member, int block, bool after, char *text, size_t size)
{
    const struct act *act = s->act[member];
    const struct elements *e = act ? (after ? &act->out : &act->in) : NULL;
    int parts = scene_blocks(s, member, after), each = e && parts > 0 ? e->count / parts : 0;
    if (each < 1 || each > 4 || each * parts != e->count) {
        plain_label(s, member, block, after, text, size);
        return;
    }
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < each && used + 16 < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%s%.6g", i ? ", " : "", e->value[block * each + i]);
}
