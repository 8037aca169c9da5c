/* play_ring.c: where the ranks of a moving picture stand, and the ways between them. */
#include "play_svg.h"

#include <math.h>

#define TURN 6.283185307179586 /* a whole one */
#define NAME 66.0              /* "rank 0", at the left of a card */
#define BEND 0.28              /* by which part of its length a way bends */
#define MOST_BEND 90.0         /* or so far */

struct ring ring_of(const struct story *story)
{
    struct ring ring = { .ranks = story->ranks, .slots = story->blocks, .slot = 44 };
    for (int i = 0; i < story->hold_count; i++)
        ring.slot = fmax(ring.slot, story_width(story->holds[i].text));
    ring.card = (struct point){ (NAME + ring.slots * (ring.slot + 4) + 8) / 2, 25 };
    /* Neighbours keep a message's width between them, at the sides and at the top. */
    double round = ring.ranks * (2 * ring.card.x + 30) / TURN;
    ring.radius.x = fmax(round, ring.ranks < 3 ? 0 : 2 * ring.card.x + ring.slot / 2 - 10);
    ring.radius.y = fmax(ring.ranks * 2 * (ring.card.y + 34) / TURN * 1.3, 128);
    return ring;
}

/* Rank 0 stands at the top, the others follow clockwise. */
struct point ring_card(const struct ring *ring, int rank)
{
    double angle = TURN * rank / ring->ranks;
    return (struct point){ ring->radius.x * sin(angle), -ring->radius.y * cos(angle) };
}

struct point ring_slot(const struct ring *ring, int rank, int block)
{
    struct point at = ring_card(ring, rank);
    at.x += -ring->card.x + NAME + (block + 0.5) * (ring->slot + 4);
    return at;
}

struct point ring_way(struct point a, struct point b, double part)
{
    double dx = b.x - a.x, dy = b.y - a.y, bend = fmin(BEND, MOST_BEND / fmax(hypot(dx, dy), 1));
    double x = (a.x + b.x) / 2 + bend * dy, y = (a.y + b.y) / 2 - bend * dx;
    double rest = 1 - part;
    return (struct point){ rest * rest * a.x + 2 * rest * part * x + part * part * b.x,
                           rest * rest * a.y + 2 * rest * part * y + part * part * b.y };
}

static bool near_card(const struct ring *ring, int rank, struct point p)
{
    struct point at = ring_card(ring, rank);
    return fabs(p.x - at.x) < ring->card.x + 5 && fabs(p.y - at.y) < ring->card.y + 5;
}

void ring_gap(const struct ring *ring, int src, int dst, double *leaves, double *comes)
{
    struct point a = ring_card(ring, src), b = ring_card(ring, dst);
    *leaves = 0;
    *comes = 1;
    while (*leaves < 0.5 && near_card(ring, src, ring_way(a, b, *leaves)))
        *leaves += 0.005;
    while (*comes > 0.5 && near_card(ring, dst, ring_way(a, b, *comes)))
        *comes -= 0.005;
}
