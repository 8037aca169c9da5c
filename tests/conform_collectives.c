/* conform_collectives.c: which collectives are called, with what, over which groups. */
#include "conform.h"

#include <stdlib.h>

enum { NO_MARGIN, ODD_MARGIN, IN_PLACE, PLACES };

int64_t conform_count(enum dist_type type, int which)
{
    static const int64_t small[CONFORM_COUNTS - 1] = { 0, 1, 3, 1000, 2048 };
    int64_t bytes = (int64_t)ref_bytes(type);
    return which < CONFORM_COUNTS - 1 ? small[which] : (CONFORM_BYTES + bytes - 1) / bytes;
}

bool conform_new(struct conform *conform, int ranks, uint64_t seed)
{
    *conform = (struct conform){ .rounds = 4 };
    for (int type = 0; type < REF_TYPES; type++) {
        int64_t count = conform_count((enum dist_type)type, CONFORM_COUNTS - 1) + 4096;
        if (!pool_new(&conform->pools[type], (enum dist_type)type, ranks, count, seed))
            return false;
    }
    return true;
}

void conform_free(struct conform *conform)
{
    for (int type = 0; type < REF_TYPES; type++)
        pool_free(&conform->pools[type]);
}

/* ---- one trial -------------------------------------------------------------------- */

/* Fill in what follows from the choices: how many elements, which window, which root. */
static void draw(struct trial *t, const struct collective *call, int which, int place, uint64_t *dice)
{
    bool large = which == CONFORM_COUNTS - 1;
    t->count = conform_count(t->type, which);
    if (large && call->blocks) /* then the larger of the two tensors has that size */
        t->count = (t->count + t->n - 1) / t->n;
    t->at = ref_below(dice, t->pool->count - (call->blocks ? t->n * t->count : t->count) + 1);
    t->root = (int)ref_below(dice, t->n);
    t->margin = place == NO_MARGIN ? 0 : 1 + 2 * ((t->me + ref_below(dice, 3)) % 3);
    t->in_place = place == IN_PLACE && call->in_place;
}

/* Over the world the pool has the answer; over a group every member works it out. */
static void call_checked(struct trial *t, const struct collective *call)
{
    int64_t need = call->blocks ? t->n * t->count : t->count;
    void *own = NULL;
    t->answer = pool_reduced(t->pool, t->op, t->at);
    if (t->group != NULL && call->reduces) {
        const void *in[8];
        for (int i = 0; i < t->n; i++)
            in[i] = pool_in(t->pool, t->ranks[i], t->at);
        t->answer = own = malloc((size_t)need * ref_bytes(t->type) + 1);
        ref_reduce(t->type, t->op, own, in, t->n, need);
    }
    call->call(t);
    free(own);
}

/* ---- the world: every combination --------------------------------------------------- */

static void every_way(struct trial *t, const struct collective *call, int which, uint64_t *dice)
{
    const struct conform *conform = t->exam->given;
    bool large = which == CONFORM_COUNTS - 1;
    int ways = 2 * (call->in_place ? PLACES : PLACES - 1);
    int only = large ? (int)ref_below(dice, ways) : -1;
    for (int way = 0; way < ways; way++) {
        bool skip = conform->sparse && ref_below(dice, 4) != 0;
        t->async = way % 2;
        draw(t, call, which, way / 2, dice);
        if (large ? way == only : !skip)
            call_checked(t, call);
    }
}

void conform_world(struct exam *exam, int rank, int size)
{
    static const int ranks[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const struct conform *conform = exam->given;
    uint64_t dice = exam->seed;
    for (int type = 0; type < REF_TYPES; type++) {
        for (int c = 0; c < conform_call_count * CONFORM_COUNTS; c++) {
            const struct collective *call = &conform_calls[c / CONFORM_COUNTS];
            struct trial trial = {
                .exam = exam,
                .pool = &conform->pools[type],
                .type = (enum dist_type)type,
                .ranks = ranks,
                .n = size,
                .me = rank,
            };
            for (int op = 0; op < (call->reduces ? REF_OPS : 1); op++) {
                trial.op = (enum dist_op)op;
                every_way(&trial, call, c % CONFORM_COUNTS, &dice);
            }
        }
    }
}

/* ---- sub-groups: at random ------------------------------------------------------------ */

struct draft {
    dist_group *group;
    int ranks[8];
    int n, me; /* me: the caller's place, -1: none */
};

static struct draft draft_group(struct exam *exam, int rank, int size, uint64_t *dice)
{
    struct draft draft = { .n = 1 + (int)ref_below(dice, size), .me = -1 };
    int all[8];
    for (int i = 0; i < size; i++)
        all[i] = i;
    for (int i = 0; i < draft.n; i++) {
        int other = i + (int)ref_below(dice, size - i), taken = all[other];
        all[other] = all[i];
        all[i] = draft.ranks[i] = taken;
        if (taken == rank)
            draft.me = i;
    }
    draft.group = dist_new_group(draft.ranks, draft.n);
    exam_check(exam, draft.group != NULL, "new_group of %d gave NULL", draft.n);
    int me = dist_get_rank(.group = draft.group), n = dist_get_world_size(.group = draft.group);
    exam_check(exam, me == draft.me, "rank %d is %d in the group and must be %d", rank, me, draft.me);
    exam_check(exam, n == draft.n, "the group has %d members and must have %d", n, draft.n);
    return draft;
}

/* A random call on a group. Whoever is not a member throws the same dice, and calls nothing. */
static void random_call(struct exam *exam, const struct draft *on, uint64_t *dice)
{
    const struct conform *conform = exam->given;
    const struct collective *call = &conform_calls[ref_below(dice, conform_call_count)];
    enum dist_type type = (enum dist_type)ref_below(dice, REF_TYPES);
    struct trial trial = {
        .exam = exam,
        .type = type,
        .pool = &conform->pools[type],
        .op = (enum dist_op)ref_below(dice, REF_OPS),
        .group = on->group,
        .ranks = on->ranks,
        .n = on->n,
        .me = on->me,
    };
    int which = ref_below(dice, 16) == 0 ? CONFORM_COUNTS - 1 : (int)ref_below(dice, CONFORM_COUNTS - 1);
    trial.async = ref_below(dice, 2);
    draw(&trial, call, which, (int)ref_below(dice, PLACES), dice);
    if (on->me >= 0)
        call_checked(&trial, call);
}

void conform_groups(struct exam *exam, int rank, int size)
{
    const struct conform *conform = exam->given;
    struct draft world = { .ranks = { 0, 1, 2, 3, 4, 5, 6, 7 }, .n = size, .me = rank };
    uint64_t dice = exam->seed;
    for (int round = 0; round < conform->rounds; round++) {
        struct draft drafts[3];
        drafts[0] = draft_group(exam, rank, size, &dice);
        drafts[1] = draft_group(exam, rank, size, &dice);
        drafts[2] = world;
        for (int i = 0; i < 40; i++)
            random_call(exam, &drafts[ref_below(&dice, 3)], &dice);
        for (int i = 0; i < 2; i++)
            exam_check(exam, dist_group_free(drafts[i].group) == 0, "group_free did not give 0");
    }
}
