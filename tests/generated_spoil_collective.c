/* generated_spoil_collective.c: what can be wrong with collectives: one member does something else than the others. */
#include "generated_spoil.h"

static int any_group(struct gen_program *p)
{
    return gen_dice(p, p->group_count);
}

static int other_member(struct gen_program *p, const struct gen_group *group, int rank)
{
    int index = gen_dice(p, group->n - 1);
    return group->ranks[index] != rank ? group->ranks[index] : group->ranks[group->n - 1];
}

/* The member that a report about `odd` names beside it: the first, or the second where the odd one is the first. */
static int first_but(const struct gen_group *group, int odd)
{
    return group->ranks[0] != odd ? group->ranks[0] : group->ranks[1];
}

static unsigned members_of(const struct gen_group *group)
{
    unsigned set = 0;
    for (int i = 0; i < group->n; i++)
        set |= 1u << group->ranks[i];
    return set;
}

static struct gen_step another(struct gen_program *p, struct gen_step step)
{
    struct gen_step other = step;
    while (other.op == step.op)
        other = gen_collective(p, step.group, true);
    other.async = step.async;
    return other;
}

/* All members call `step`, but the odd one calls `other`; the two lines go into the label. */
static void odd_one_out(struct gen_program *p, int odd, struct gen_step step, struct gen_step other)
{
    const struct gen_group *group = &p->groups[step.group];
    int lines[GEN_RANKS];
    for (int i = 0; i < group->n; i++)
        lines[group->ranks[i]] = gen_start(p, group->ranks[i], group->ranks[i] == odd ? other : step);
    spoil_label(p, DIST_ERR_MISMATCH, p->where.mixed ? 1 : 2, lines[odd], lines[first_but(group, odd)]);
}

/* `step` is wrong on one member in the way that `twist` says. */
static void twisted(struct gen_program *p, bool (*fits)(enum gen_op op),
                    void (*twist)(struct gen_program *, struct gen_step *))
{
    int g = any_group(p);
    struct gen_step step = gen_collective(p, g, true);
    while (!fits(step.op))
        step = gen_collective(p, g, true);
    struct gen_step other = step;
    twist(p, &other);
    odd_one_out(p, p->groups[g].ranks[gen_dice(p, p->groups[g].n)], step, other);
    spoil_go_on(p, members_of(&p->groups[g]), gen_chance(p, 2));
}

static bool any_op(enum gen_op op)
{
    return gen_is_collective(op);
}

static bool reduces(enum gen_op op)
{
    return op == GEN_REDUCE || op == GEN_ALL_REDUCE || op == GEN_REDUCE_SCATTER;
}

static bool moves(enum gen_op op)
{
    return op < GEN_BARRIER;
}

static void twist_op(struct gen_program *p, struct gen_step *step)
{
    *step = another(p, *step);
}

static void twist_root(struct gen_program *p, struct gen_step *step)
{
    step->peer = other_member(p, &p->groups[step->group], step->peer);
}

static void twist_reduction(struct gen_program *p, struct gen_step *step)
{
    step->reduction = (enum dist_op)((step->reduction + 1 + gen_dice(p, REF_OPS - 1)) % REF_OPS);
}

static void twist_count(struct gen_program *p, struct gen_step *step)
{
    step->count += 1 + gen_dice(p, 3);
}

static void twist_type(struct gen_program *p, struct gen_step *step)
{
    step->type = (enum dist_type)((step->type + 1 + gen_dice(p, REF_TYPES - 1)) % REF_TYPES);
}

void spoil_other_collective(struct gen_program *p)
{
    twisted(p, any_op, twist_op);
}

void spoil_other_root(struct gen_program *p)
{
    twisted(p, gen_has_root, twist_root);
}

void spoil_other_reduction(struct gen_program *p)
{
    twisted(p, reduces, twist_reduction);
}

void spoil_other_count(struct gen_program *p)
{
    twisted(p, moves, twist_count);
}

void spoil_other_type(struct gen_program *p)
{
    twisted(p, moves, twist_type);
}

/* ---- one call is missing, or two are in another order ------------------------------------------------ */

/* The odd one skips the call and leaves; or waits for somebody who is stuck in it; or goes to the next collective. */
void spoil_collective_missing(struct gen_program *p)
{
    int g = any_group(p), line = 0, way = gen_dice(p, 3);
    const struct gen_group *group = &p->groups[g];
    int odd = group->ranks[gen_dice(p, group->n)], friend = other_member(p, group, odd);
    struct gen_step step = gen_collective(p, g, true), m = spoil_message(p);
    step.async = step.async && way != 1;
    if (way == 2) {
        odd_one_out(p, odd, step, another(p, step));
    } else {
        for (int i = 0; i < group->n; i++)
            if (group->ranks[i] != odd)
                line = gen_start(p, group->ranks[i], step);
        spoil_label(p, DIST_ERR_PEER_LOST, 1, line, 0);
    }
    if (way == 1) {
        int waits = spoil_transfer(p, odd, spoil_as(m, GEN_RECV, friend), false, false);
        spoil_transfer(p, friend, spoil_as(m, GEN_SEND, odd), true, true);
        spoil_label(p, DIST_ERR_DEADLOCK, 2, waits, line);
    }
    spoil_go_on(p, members_of(group), way > 0 && gen_chance(p, 2));
}

/* Two collectives, which one member calls the other way round: of one group, or of two that share members. */
void spoil_collective_order(struct gen_program *p)
{
    int g = 1 + gen_dice(p, p->group_count - 1), lines[GEN_RANKS];
    const struct gen_group *group = &p->groups[g];
    int odd = group->ranks[gen_dice(p, group->n)];
    bool same = gen_chance(p, 2);
    struct gen_step second = gen_collective(p, g, true);
    second.async = false; /* or the second pair might be told first, and rightly so */
    struct gen_step first =
        another(p, second); /* of the world and a group: else one might be meant to be the other */
    if (!same)
        first.group = 0;
    first.async = second.async;
    for (int i = 0; i < p->size; i++)
        lines[i] = 0;
    for (int i = 0; i < group->n; i++) {
        int rank = group->ranks[i];
        lines[rank] = gen_start(p, rank, rank == odd ? first : second);
        gen_start(p, rank, rank == odd ? second : first);
    }
    for (int rank = 0; rank < p->size && !same; rank++)
        if (lines[rank] == 0)
            gen_start(p, rank, first);
    spoil_label(p, same ? DIST_ERR_MISMATCH : DIST_ERR_DEADLOCK, 2, lines[odd], lines[first_but(group, odd)]);
    spoil_go_on(p, same ? members_of(group) : GEN_ALL(p), gen_chance(p, 2));
}

/* One member means its group, the others the world; or the other way round. */
void spoil_collective_group(struct gen_program *p)
{
    int g = 1 + gen_dice(p, p->group_count - 1), lines[GEN_RANKS];
    const struct gen_group *group = &p->groups[g];
    int odd = group->ranks[gen_dice(p, group->n)];
    struct gen_step inside = gen_collective(p, g, true);
    inside.async = false; /* or the next of the world might be told first, and rightly so */
    struct gen_step outside = inside;
    outside.group = 0;
    for (int rank = 0; rank < p->size; rank++)
        lines[rank] = gen_start(p, rank, rank == odd ? inside : outside);
    spoil_label(p, DIST_ERR_MISMATCH, 2, lines[odd], lines[first_but(group, odd)]);
    spoil_go_on(p, GEN_ALL(p), gen_chance(p, 2));
}
