/*
 * spacetime_meetings.c: collectives, each a line down through the ranks that take part.
 *
 * Groups may meet at the same time, and lie across each other: ranks 0 and 2, ranks 1 and 3. Then the second one stands a
 * little further right, or the two would look like one.
 */
#include "spacetime.h"

#include <math.h>
#include <stdlib.h>

#define LANE 13.0
#define LANES 4 /* as many as a column has room for */

/* Where a meeting is drawn; top > bottom: nowhere. */
struct bracket {
    double at;
    int top, bottom; /* ranks */
    int lane;
};

/* The act at whose end the rank knew: the call, or the wait for it. -1: it is not drawn. */
static int end_of(const struct sheet *sheet, int call)
{
    const struct act *act = &sheet->run->acts[call];
    int here = act->finished >= 0 ? act->finished : call;
    return spacetime_shows(sheet, here) && !act->unfinished ? here : -1;
}

static struct bracket find_bracket(const struct sheet *sheet, const struct meeting *meeting, const int *acts)
{
    struct bracket b = { .top = sheet->run->ranks, .bottom = -1 };
    for (int i = 0; i < meeting->count; i++) {
        int here = end_of(sheet, acts[meeting->first + i]);
        if (here < 0)
            continue;
        int rank = sheet->run->acts[here].rank;
        b.top = rank < b.top ? rank : b.top;
        b.bottom = rank > b.bottom ? rank : b.bottom;
        b.at = fmax(b.at, sheet->order->spot[here].at);
    }
    return b;
}

/* The first lane that no earlier bracket in its way has. */
static int free_lane(const struct bracket *brackets, int count, const struct bracket *mine)
{
    bool taken[LANES] = { false };
    for (int i = 0; i < count; i++) {
        const struct bracket *b = &brackets[i];
        if (fabs(b->at - mine->at) < 0.05 && b->top <= mine->bottom && mine->top <= b->bottom)
            taken[b->lane] = true;
    }
    int lane = 0;
    while (lane < LANES - 1 && taken[lane])
        lane++;
    return lane;
}

static void draw_meeting(struct sheet *sheet, const struct meeting *meeting, const int *acts,
                         const struct bracket *b)
{
    struct point top = spacetime_at(sheet, b->top, b->at), bottom = spacetime_at(sheet, b->bottom, b->at);
    double x = top.x + b->lane * LANE;
    for (int i = 0; b->lane > 0 && i < meeting->count; i++) { /* who waits, waits until there */
        int here = end_of(sheet, acts[meeting->first + i]);
        double y = here < 0 ? 0 : spacetime_at(sheet, sheet->run->acts[here].rank, b->at).y;
        if (here >= 0)
            dot_bar(sheet->p, (struct point){ x - b->lane * LANE + 1.2, y }, (struct point){ x, y }, PALE,
                    BAR);
    }
    const char *name = sheet->run->acts[acts[meeting->first]].name;
    dot_bar(sheet->p, (struct point){ x, top.y }, (struct point){ x, bottom.y }, SOFT, 2.4);
    dot_tag(sheet->p, (struct point){ x, top.y + 25 }, SOFT, 11, name);
    spacetime_take(sheet, (struct point){ x, top.y + 25 }, text_width(name, 11) + 12, 20);
    for (int i = 0; i < meeting->count; i++) {
        int here = end_of(sheet, acts[meeting->first + i]);
        if (here >= 0)
            spacetime_dot(sheet, here, b->lane * LANE, false);
    }
}

void spacetime_meetings(struct sheet *sheet)
{
    struct meeting *meetings;
    int *acts, count = order_meetings(sheet->run, &meetings, &acts);
    struct bracket *brackets = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *brackets);
    for (int i = 0; brackets && i < count; i++) {
        brackets[i] = find_bracket(sheet, &meetings[i], acts);
        brackets[i].lane = free_lane(brackets, i, &brackets[i]);
        if (brackets[i].bottom >= 0)
            draw_meeting(sheet, &meetings[i], acts, &brackets[i]);
    }
    free(brackets);
    free(meetings);
    free(acts);
}
