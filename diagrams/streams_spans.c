/*
 * streams_spans.c: streams, told by the spans that the program has marked: a box for all that one span has put into a stream, in
 * place of one for each kernel, and above them the spans around those.
 */
#include "streams.h"

#include <stdlib.h>
#include <string.h>

/* The span in which the program was when it asked for this: the one that began last, or the one around all others. -1: in none. */
static int span_of(const struct run *run, const struct slice *slice, bool outermost)
{
    int found = -1;
    for (int i = run->first[slice->rank]; i < run->first[slice->rank + 1]; i++) {
        const struct act *act = &run->acts[i];
        bool inside = act->begin <= slice->asked && slice->asked <= act->end;
        if (act->kind == ACT_SPAN && inside && (found < 0 || !outermost))
            found = i;
    }
    return found;
}

/* Is there a span inside of it? Then it is told above the rows, and not in boxes. */
static bool is_around(const struct run *run, int span)
{
    const struct act *outer = &run->acts[span];
    for (int i = run->first[outer->rank]; i < run->first[outer->rank + 1]; i++)
        if (i != span && run->acts[i].kind == ACT_SPAN && run->acts[i].begin >= outer->begin &&
            run->acts[i].end <= outer->end)
            return true;
    return false;
}

/* When a rank began its nth span of that name; -1: it never did. */
static double began(const struct run *run, int rank, const char *name, int nth)
{
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        if (run->acts[i].kind == ACT_SPAN && strcmp(run->acts[i].name, name) == 0 && nth-- == 0)
            return run->acts[i].begin;
    return -1;
}

bool streams_from(struct run *run, const struct run *whole, const char *name, int nth)
{
    *run = *whole;
    run->slices = calloc((size_t)whole->slice_count + 1, sizeof *run->slices);
    run->slice_count = 0;
    for (int i = 0; run->slices && i < whole->slice_count; i++) {
        const struct slice *slice = &whole->slices[i];
        double begin = began(whole, slice->rank, name, nth);
        if (begin >= 0 && slice->asked >= begin && span_of(whole, slice, false) >= 0)
            run->slices[run->slice_count++] = *slice;
    }
    return run->slices;
}

void streams_join(struct run *run)
{
    int count = 0, last = -1;
    for (int i = 0; i < run->slice_count; i++) {
        struct slice slice = run->slices[i];
        int span = span_of(run, &slice, false);
        struct slice *before = count > 0 ? &run->slices[count - 1] : NULL;
        if (slice.stream >= 0 && before && span == last && before->rank == slice.rank &&
            before->stream == slice.stream) {
            before->end = slice.end;
            continue;
        }
        if (slice.stream >= 0)
            slice.name = is_around(run, span) ? "" : run->acts[span].name;
        run->slices[count++] = slice;
        last = span;
    }
    run->slice_count = count;
}

/* Over the first row, where the first box of each of the outermost spans begins. */
void streams_headings(const struct bands *b)
{
    int last = -1;
    for (int i = 0; i < b->run->slice_count; i++) {
        const struct slice *slice = &b->run->slices[i];
        int span =
            slice->stream >= 0 && row_of(b->run, slice->rank) == 0 ? span_of(b->run, slice, true) : last;
        if (span == last || !is_around(b->run, span))
            continue;
        const char *name = b->run->acts[span].name;
        double x = streams_x(b, slice->begin);
        dot_line(b->p, (struct point){ x, 34 }, (struct point){ x, 14 },
                 (struct stroke){ .color = GREY, .head = "none" });
        dot_text(b->p, (struct point){ x + 6 + text_width(name, 12) / 2, 27 }, 12, INK, name);
        last = span;
    }
}
