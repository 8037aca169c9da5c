/*
 * overlap.c: how much of the communication happened while the same rank computed.
 *
 * What can be hidden is the shorter of the two: nobody can hide ten milliseconds of messages behind two of computing.
 */
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum side { NEITHER, COMPUTES, COMMUNICATES };

static enum side side_of(const struct slice *slice)
{
    if (slice->stream < 0)
        return COMMUNICATES;
    return strcmp(slice->name, "copy") == 0 ? NEITHER : COMPUTES;
}

/* Where a slice begins, or ends. */
struct edge {
    double time;
    int step; /* +1, -1 */
    enum side side;
};

static int by_time(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time) : x->step - y->step;
}

static int collect(const struct run *run, int rank, struct edge *edges)
{
    int count = 0;
    for (int i = 0; i < run->slice_count; i++) {
        const struct slice *slice = &run->slices[i];
        if (slice->rank != rank || side_of(slice) == NEITHER)
            continue;
        edges[count++] = (struct edge){ slice->begin, +1, side_of(slice) };
        edges[count++] = (struct edge){ slice->end, -1, side_of(slice) };
    }
    qsort(edges, (size_t)count, sizeof *edges, by_time);
    return count;
}

static struct overlap sweep(const struct edge *edges, int count)
{
    struct overlap sum = { 0 };
    int open[3] = { 0 };
    for (int i = 0; i < count; i++) {
        double passed = i > 0 ? edges[i].time - edges[i - 1].time : 0;
        sum.computing += open[COMPUTES] ? passed : 0;
        sum.communicating += open[COMMUNICATES] ? passed : 0;
        sum.both += open[COMPUTES] && open[COMMUNICATES] ? passed : 0;
        open[edges[i].side] += edges[i].step;
    }
    return sum;
}

struct overlap overlap_of(const struct run *run, int rank)
{
    struct overlap sum = { 0 };
    struct edge *edges = malloc((2 * (size_t)run->slice_count + 1) * sizeof *edges);
    for (int r = rank < 0 ? 0 : rank; edges && r < run->ranks && (rank < 0 || r == rank); r++) {
        struct overlap one = sweep(edges, collect(run, r, edges));
        sum.computing += one.computing;
        sum.communicating += one.communicating;
        sum.both += one.both;
    }
    free(edges);
    return sum;
}

double overlap_share(struct overlap overlap)
{
    double most = fmin(overlap.computing, overlap.communicating);
    return most > 0 ? overlap.both / most : 0;
}

static void write_line(FILE *file, const char *who, struct overlap o)
{
    fprintf(file, "%-10s %9.2f ms %9.2f ms %9.2f ms %6.0f %%\n", who, o.computing / 1000,
            o.communicating / 1000, o.both / 1000, 100 * overlap_share(o));
}

bool draw_overlap(struct picture *p, const struct run *run, const struct wish *wish, char *why)
{
    (void)wish;
    if (run->slice_count == 0)
        return snprintf(why, 200, "no stream was busy in this run; are its tensors on a GPU (DEVICE=sim)?"),
               false;
    fprintf(p->file, "%-10s %12s %12s %12s %8s\n", "", "computes", "communicates", "both", "hidden");
    for (int rank = 0; rank < run->ranks; rank++) {
        char who[24];
        snprintf(who, sizeof who, "rank %d", rank);
        write_line(p->file, who, overlap_of(run, rank));
    }
    write_line(p->file, "all", overlap_of(run, -1));
    return true;
}
