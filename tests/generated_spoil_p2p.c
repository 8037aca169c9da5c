/* generated_spoil_p2p.c: what can be wrong with messages. */
#include "generated_spoil.h"

#include <string.h>

/* ---- cycles ------------------------------------------------------------------------------------ */

static void cycle(struct gen_program *p, int n, bool send_first)
{
    int ranks[GEN_RANKS], lines[GEN_RANKS];
    unsigned stuck = 0;
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    for (int i = 0; i < n; i++) {
        struct gen_step there = spoil_as(m, GEN_SEND, ranks[(i + 1) % n]);
        struct gen_step here = spoil_as(m, GEN_RECV, ranks[(i + n - 1) % n]);
        lines[i] = spoil_transfer(p, ranks[i], send_first ? there : here, send_first, false);
        spoil_transfer(p, ranks[i], send_first ? here : there, !send_first, true);
        stuck |= 1u << ranks[i];
    }
    spoil_label(p, DIST_ERR_DEADLOCK, 2, lines[0], lines[n - 1]);
    spoil_go_on(p, stuck, gen_chance(p, 2));
}

void spoil_crossed_sends(struct gen_program *p)
{
    cycle(p, 2, true);
}

void spoil_ring_of_sends(struct gen_program *p)
{
    cycle(p, 3 + gen_dice(p, p->size - 2), true);
}

void spoil_ring_of_receives(struct gen_program *p)
{
    cycle(p, 2 + gen_dice(p, p->size - 1), false);
}

void spoil_send_to_self(struct gen_program *p)
{
    int rank = gen_dice(p, p->size);
    bool sends = gen_chance(p, 2);
    int line = spoil_transfer(p, rank, spoil_as(spoil_message(p), GEN_SEND, rank), sends, false);
    spoil_label(p, DIST_ERR_DEADLOCK, 1, line, 0);
    spoil_go_on(p, 1u << rank, gen_chance(p, 2));
}

/* ---- two ends that do not fit -------------------------------------------------------------------- */

void spoil_wrong_peer(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    bool sender_errs = gen_chance(p, 3);
    int a = spoil_transfer(p, ranks[0], spoil_as(m, GEN_SEND, ranks[sender_errs ? 2 : 1]), true, true);
    int b = spoil_transfer(p, ranks[1], spoil_as(m, GEN_RECV, ranks[sender_errs ? 0 : 2]), false, false);
    spoil_label(p, DIST_ERR_MISMATCH, 2, a, b);
    spoil_go_on(p, 1u << ranks[0] | 1u << ranks[1], gen_chance(p, 2));
}

/* One message, and a receive that differs from it by what `twist` does. */
static void twisted(struct gen_program *p, void (*twist)(struct gen_program *, struct gen_step *), int named)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p), other = m;
    twist(p, &other);
    bool swapped = gen_chance(p, 2);
    int a = spoil_transfer(p, ranks[0], spoil_as(swapped ? other : m, GEN_SEND, ranks[1]), true, true);
    int b = spoil_transfer(p, ranks[1], spoil_as(swapped ? m : other, GEN_RECV, ranks[0]), false, true);
    spoil_label(p, DIST_ERR_MISMATCH, named, a, b);
    spoil_go_on(p, 1u << ranks[0] | 1u << ranks[1], gen_chance(p, 2));
}

static void other_tag(struct gen_program *p, struct gen_step *m)
{
    m->tag = 9000 + p->events;
}

static void other_count(struct gen_program *p, struct gen_step *m)
{
    m->count += 1 + gen_dice(p, 3);
}

static void other_type(struct gen_program *p, struct gen_step *m)
{
    m->type = (enum dist_type)((m->type + 1 + gen_dice(p, REF_TYPES - 1)) % REF_TYPES);
}

void spoil_wrong_tag(struct gen_program *p)
{
    twisted(p, other_tag, 2);
}

void spoil_wrong_size(struct gen_program *p)
{
    twisted(p, other_count, 1);
}

void spoil_wrong_type(struct gen_program *p)
{
    twisted(p, other_type, 1);
}

/* Two members of a group; one of them means the group, the other the world. */
void spoil_wrong_group(struct gen_program *p)
{
    int g = 1 + gen_dice(p, p->group_count - 1), a = p->groups[g].ranks[0], b = p->groups[g].ranks[1];
    struct gen_step m = spoil_message(p), other = m;
    bool swapped = gen_chance(p, 2);
    *(swapped ? &m.group : &other.group) = g;
    int one = spoil_transfer(p, a, spoil_as(m, GEN_SEND, b), true, true);
    int two = spoil_transfer(p, b, spoil_as(other, GEN_RECV, a), false, true);
    spoil_label(p, DIST_ERR_MISMATCH, 2, one, two);
    spoil_go_on(p, 1u << a | 1u << b, gen_chance(p, 2));
}

void spoil_rank_has_left(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    bool sends = gen_chance(p, 2);
    int line = spoil_transfer(p, ranks[0], spoil_as(spoil_message(p), GEN_SEND, ranks[1]), sends, true);
    spoil_label(p, DIST_ERR_PEER_LOST, 1, line, 0);
    spoil_go_on(p, 1u << ranks[0], false);
}

void spoil_no_sender(struct gen_program *p)
{
    int rank = gen_dice(p, p->size);
    bool meet = gen_chance(p, 2);
    int line = spoil_transfer(p, rank, spoil_as(spoil_message(p), GEN_RECV, DIST_ANY_SOURCE), false, false);
    spoil_label(p, meet ? DIST_ERR_DEADLOCK : DIST_ERR_PEER_LOST, 1, line, 0);
    spoil_go_on(p, 1u << rank, meet);
}

void spoil_anybody_tag(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p), other = m;
    other_tag(p, &other);
    int a = spoil_transfer(p, ranks[0], spoil_as(m, GEN_SEND, ranks[1]), true, true);
    int b = spoil_transfer(p, ranks[1], spoil_as(other, GEN_RECV, DIST_ANY_SOURCE), false, false);
    spoil_label(p, DIST_ERR_MISMATCH, 2, a, b);
    spoil_go_on(p, 1u << ranks[0] | 1u << ranks[1], gen_chance(p, 2));
}

/* One of two would do, and neither comes. */
void spoil_any_of_none(struct gen_program *p)
{
    int ranks[GEN_RANKS], lines[2];
    spoil_draw(p, ranks);
    bool meet = gen_chance(p, 2);
    for (int i = 0; i < 2; i++)
        lines[i] = gen_start(p, ranks[0], spoil_as(spoil_message(p), GEN_IRECV, ranks[i + 1]));
    memset(p->open[ranks[0]], 0, sizeof p->open[ranks[0]]);
    gen_add(p, ranks[0], (struct gen_step){ .op = GEN_WAIT_ANY });
    spoil_label(p, meet ? DIST_ERR_DEADLOCK : DIST_ERR_PEER_LOST, 2, lines[0], lines[1]);
    spoil_go_on(p, 1u << ranks[0], meet);
}
