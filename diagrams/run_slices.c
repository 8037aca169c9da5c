/* run_slices.c: what the streams of a GPU were busy with. */
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "run_link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool wrong(struct run *run, const char *why)
{
    snprintf(run->why, sizeof run->why, "%s", why);
    return false;
}

static double time_of(const struct value *event, const char *name)
{
    const struct value *member = value_member(event, name);
    return member && member->kind == VALUE_NUMBER ? member->number : 0;
}

bool run_read_slice(struct run *run, const struct value *event, const struct value *args)
{
    if (run->slice_count == (int)RUN_EVENTS)
        return wrong(run, "it holds more than four million events; trace a shorter run");
    if (run->slice_count == run->slice_room) {
        int room = run->slice_room ? 2 * run->slice_room : 256;
        struct slice *slices = realloc(run->slices, (size_t)room * sizeof *slices);
        if (!slices)
            return wrong(run, "the system gives no memory");
        run->slices = slices;
        run->slice_room = room;
    }
    struct slice *slice = &run->slices[run->slice_count];
    *slice = (struct slice){ .rank = (int)value_whole(event, "pid", 1, RUN_RANKS, 0) - 1 };
    slice->stream = (int)value_whole(args, "stream", -1, RUN_STREAMS - 1, -2);
    slice->asked = time_of(args, "asked");
    slice->begin = time_of(event, "ts");
    slice->end = slice->begin + fmax(time_of(event, "dur"), 0);
    if (slice->rank < 0 || slice->stream < -1)
        return wrong(run, "a stream has no rank or no number; was the file written by DIST_TRACE?");
    run->slice_count++;
    slice->name = strdup(value_text(event, "name", ""));
    return slice->name || wrong(run, "the system gives no memory");
}

/* Threads record a slice when it ends, in any order. */
static int by_place(const void *a, const void *b)
{
    const struct slice *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    if (x->stream != y->stream)
        return x->stream - y->stream;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

void run_sort_slices(struct run *run)
{
    if (run->slice_count > 0)
        qsort(run->slices, (size_t)run->slice_count, sizeof *run->slices, by_place);
}
