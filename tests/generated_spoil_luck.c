/* generated_spoil_luck.c: what goes wrong in some runs only, or late; and receives from anybody in a group. */
#include "generated_spoil.h"

/* From anybody of a group, and the message is one of the world; or the other way round. */
void spoil_anybody_group(struct gen_program *p)
{
    int g = 1 + gen_dice(p, p->group_count - 1), a = p->groups[g].ranks[0], b = p->groups[g].ranks[1];
    struct gen_step m = spoil_message(p), other = m;
    *(gen_chance(p, 2) ? &m.group : &other.group) = g;
    int one = spoil_transfer(p, a, spoil_as(m, GEN_SEND, b), true, true);
    int two = spoil_transfer(p, b, spoil_as(other, GEN_RECV, DIST_ANY_SOURCE), false, true);
    spoil_label(p, DIST_ERR_MISMATCH, 2, one, two);
    spoil_go_on(p, 1u << a | 1u << b, gen_chance(p, 2));
}

/* One round after another in the same way; in the last both send first, or both receive first. */
void spoil_later_round(struct gen_program *p)
{
    int ranks[GEN_RANKS], lines[2] = { 0, 0 }, rounds = 2 + gen_dice(p, 3);
    bool sends = gen_chance(p, 2);
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < 2; i++) {
            bool first = round < rounds - 1 ? i == 0 : sends;
            struct gen_step there = spoil_as(m, GEN_SEND, ranks[1 - i]);
            struct gen_step back = spoil_as(m, GEN_RECV, ranks[1 - i]);
            lines[i] = gen_start(p, ranks[i], first ? there : back);
            gen_start(p, ranks[i], first ? back : there);
        }
    spoil_label(p, DIST_ERR_DEADLOCK, 2, lines[0], lines[1]);
    spoil_go_on(p, 1u << ranks[0] | 1u << ranks[1], gen_chance(p, 2));
}

/* Both send first, what is short: it passes, and checked mode says by what. */
void spoil_luck_of_buffers(struct gen_program *p)
{
    int ranks[GEN_RANKS], lines[2];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    m.count = 1 + gen_dice(p, 16);
    for (int i = 0; i < 2; i++) {
        lines[i] = gen_start(p, ranks[i], spoil_as(m, GEN_SEND, ranks[1 - i]));
        gen_start(p, ranks[i], spoil_as(m, GEN_RECV, ranks[1 - i]));
    }
    p->settings[0] = "DIST_CHECK=1";
    p->settings[1] = "DIST_BUFFERING=eager:4096";
    spoil_label(p, 0, 2, lines[0], lines[1]);
    spoil_go_on(p, 0, true);
}

/* Two send, and one takes them as they come: perhaps in a group, perhaps without waiting. */
void spoil_luck_of_order(struct gen_program *p)
{
    int ranks[GEN_RANKS], lines[2];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    for (int i = 0; i < 2; i++)
        lines[i] = spoil_transfer(p, ranks[1 + i], spoil_as(m, GEN_SEND, ranks[0]), true, true);
    for (int i = 0; i < 2; i++)
        spoil_transfer(p, ranks[0], spoil_as(m, GEN_RECV, DIST_ANY_SOURCE), false, true);
    p->settings[0] = "DIST_CHECK=1";
    spoil_label(p, 0, 2, lines[0], lines[1]);
    spoil_go_on(p, 0, true);
}
