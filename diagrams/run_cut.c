/* run_cut.c: a part of a run. */
#include "run.h"

#include <stdlib.h>
#include <string.h>

/* Whether each act of a rank stands inside the part; the collectives are counted in the rank's own order. False: it does not begin. */
static bool mark_rank(const struct run *run, int rank, int from, int to, bool *inside)
{
    bool open = from < 0, begun = open;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        bool edge = act->kind == ACT_COLLECTIVE && act->group == 0;
        if (edge && act->seq == from)
            begun = open = true;
        if (edge && to >= 0 && act->seq == to)
            open = false;
        inside[i] = open;
    }
    return begun;
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

bool run_cut(struct run *run, int from, int to)
{
    bool *inside = calloc((size_t)run->count + 1, sizeof *inside), begun = false;
    for (int rank = 0; inside && rank < run->ranks; rank++)
        begun |= mark_rank(run, rank, from, to, inside);
    if (inside)
        keep(run, inside);
    free(inside);
    return begun || !inside;
}

/* The spans of a rank that are called this and that: their places; false: it has not both. */
static bool find_marks(const struct run *run, int rank, const char *from, const char *to, int *begin,
                       int *end)
{
    *begin = *end = -1;
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        *begin = act->kind == ACT_SPAN && strcmp(act->name, from) == 0 ? i : *begin;
        *end = act->kind == ACT_SPAN && strcmp(act->name, to) == 0 ? i : *end;
    }
    return *begin >= 0 && *end >= 0;
}

static void keep_slices_between(struct run *run, int rank, double begin, double end)
{
    int kept = 0;
    for (int i = 0; i < run->slice_count; i++) {
        struct slice slice = run->slices[i];
        if (slice.rank == rank && (slice.begin < begin || slice.begin > end))
            free(slice.name);
        else
            run->slices[kept++] = slice;
    }
    run->slice_count = kept;
}

void run_keep_between(struct run *run, const char *from, const char *to)
{
    int begin, end;
    bool *inside = calloc((size_t)run->count + 1, sizeof *inside);
    for (int rank = 0; inside && rank < run->ranks; rank++) {
        if (!find_marks(run, rank, from, to, &begin, &end))
            continue;
        for (int i = begin; i <= end; i++)
            inside[i] = true;
        keep_slices_between(run, rank, run->acts[begin].begin, run->acts[end].end);
    }
    if (inside)
        keep(run, inside);
    for (int i = 0; inside && i < run->count; i++)
        if (!inside[i] && run->acts[i].name)
            run->acts[i].name[0] = '\0';
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
