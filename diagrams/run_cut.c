/* run_cut.c: a part of a run. */
#include "run.h"

#include <stdlib.h>

/* Whether each act of a rank stands inside the part; the collectives are counted in the rank's own order. */
static void mark_rank(const struct run *run, int rank, int from, int to, bool *inside)
{
    bool open = from < 0;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        bool edge = act->kind == ACT_COLLECTIVE && act->group == 0;
        if (edge && act->seq == from)
            open = true;
        if (edge && to >= 0 && act->seq == to)
            open = false;
        inside[i] = open;
    }
}

/* No picture shows the others. */
static void keep(struct run *run, const bool *inside)
{
    for (int i = 0; i < run->count; i++)
        if (!inside[i])
            run->acts[i].kind = ACT_OTHER;
    for (int i = 0; i < run->message_count; i++) {
        const struct message *m = &run->messages[i];
        if (inside[m->send] && inside[m->recv] && inside[m->done])
            continue;
        run->acts[m->send].message = run->acts[m->recv].message = -1;
        run->messages[i--] = run->messages[--run->message_count];
        if (i + 1 < run->message_count) {
            const struct message *moved = &run->messages[i + 1];
            run->acts[moved->send].message = run->acts[moved->recv].message = i + 1;
        }
    }
}

void run_cut(struct run *run, int from, int to)
{
    bool *inside = calloc((size_t)run->count + 1, sizeof *inside);
    for (int rank = 0; inside && rank < run->ranks; rank++)
        mark_rank(run, rank, from, to, inside);
    if (inside)
        keep(run, inside);
    free(inside);
}

void run_keep_last(struct run *run, int count)
{
    bool *inside = calloc((size_t)run->count + 1, sizeof *inside);
    for (int rank = 0; inside && rank < run->ranks; rank++)
        for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
            inside[i] = run->first[rank + 1] - i <= count;
    if (inside)
        keep(run, inside);
    free(inside);
}
