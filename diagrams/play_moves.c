/* play_moves.c: keyframes. A place of the run becomes a share of the round, in percent. */
#include "play_svg.h"

#include <math.h>

#define PACE 0.3  /* seconds from one place of the run to the next */
#define LEAST 3.0 /* seconds of a round without the rest at its end */
#define MOST 40.0
#define REST 2.2 /* seconds at the end, in which everything can be read */
#define FADE 0.15
#define STAY 0.6  /* seconds that a sum stands beside its value */
#define POINTS 10 /* on a message's way */

/* The clock of a picture, and how many movements it has. */
struct clock {
    FILE *file;
    double seconds, end; /* of a round; the last place of the run */
    int count;
};

static double percent(const struct clock *clock, double place)
{
    double share = (clock->seconds - REST) / clock->seconds;
    return 100 * share * fmin(place, clock->end) / fmax(clock->end, 1);
}

static double percent_of(const struct clock *clock, double seconds)
{
    return 100 * seconds / clock->seconds;
}

static int print_hold(struct clock *clock, const struct hold *hold)
{
    double fade = percent_of(clock, FADE), begin = percent(clock, hold->from);
    double end =
        hold->to < 0 ? 100 - 2 * fade : percent(clock, hold->to); /* all is gone before it begins anew */
    fprintf(clock->file,
            "@keyframes k%d{0%%,%.2f%%{opacity:0;transform:scale(1.3)}%.2f%%,%.2f%%{opacity:1;transform:none}"
            "%.2f%%,100%%{opacity:0;transform:none}}\n",
            clock->count, begin, fmin(begin + fade, end), end, end + fade / 2);
    return clock->count++;
}

static int print_rise(struct clock *clock, const struct hold *hold)
{
    double begin = percent(clock, hold->from), fade = percent_of(clock, FADE), stay = percent_of(clock, STAY);
    fprintf(clock->file,
            "@keyframes "
            "k%d{0%%,%.2f%%{opacity:0;transform:translateY(6px)}%.2f%%,%.2f%%{opacity:1;transform:none}"
            "%.2f%%,100%%{opacity:0;transform:translateY(-4px)}}\n",
            clock->count, begin, begin + fade, begin + stay, begin + stay + fade);
    return clock->count++;
}

/* A message speeds up, and slows down before it arrives. */
static int print_trip(struct clock *clock, const struct trip *trip, const struct ring *ring)
{
    struct point a = ring_slot(ring, trip->src, trip->block), b = ring_slot(ring, trip->dst, trip->block);
    double from = percent(clock, trip->from), lasts = fmax(percent(clock, trip->to) - from, 0.1);
    fprintf(clock->file, "@keyframes k%d{0%%,%.2f%%{opacity:0}", clock->count, from);
    for (int i = 0; i <= POINTS; i++) {
        double part = (double)i / POINTS;
        struct point p = ring_way(a, b, part * part * (3 - 2 * part));
        fprintf(clock->file, "%.2f%%{opacity:1;transform:translate(%.1fpx,%.1fpx)}",
                from + 0.01 + part * lasts, p.x, p.y);
    }
    fprintf(clock->file, "%.2f%%,100%%{opacity:0;transform:translate(%.1fpx,%.1fpx)}}\n", from + lasts + 0.02,
            b.x, b.y);
    return clock->count++;
}

static bool same_time(const struct hold *a, const struct hold *b)
{
    return a->from == b->from && a->to == b->to;
}

double moves_print(FILE *file, struct story *story, const struct ring *ring)
{
    struct clock clock = { .file = file, .end = story->end };
    clock.seconds = fmin(fmax(PACE * story->end, LEAST), MOST) + REST;
    for (int i = 0; i < story->trip_count; i++)
        story->trips[i].move = print_trip(&clock, &story->trips[i], ring);
    for (int i = 0; i < story->hold_count; i++) {
        struct hold *hold = &story->holds[i], *like = story->holds;
        while (!same_time(like, hold)) /* at the latest it is itself */
            like++;
        hold->move = like < hold ? like->move : print_hold(&clock, hold);
        hold->rise = hold->added[0] ? print_rise(&clock, hold) : 0;
    }
    return clock.seconds;
}
