/*
 * test_crowds.c: collectives among more members than read each other's slots (steps.h, CROWD): is the answer still the plain
 * reference's?
 *
 * To the bit: whatever way they go, elements are combined in rank order.
 */
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RANKS 33
#define MOST_BYTES 20004 /* more than a slot */

/* Every rank's numbers, and what each reduction of the first `members` of `ranks` makes of them. */
struct crowd {
    int members, ranks[MOST_RANKS]; /* group rank -> world rank */
    char *in[REF_TYPES][MOST_RANKS];
    char *out[REF_TYPES][REF_OPS];
};

static int64_t count_of(enum dist_type type, size_t bytes)
{
    return (int64_t)(bytes / ref_bytes(type));
}

/* Members in an order of their own where the group is not the world. */
static void crowd_new(struct crowd *crowd, int size, int members, uint64_t seed)
{
    *crowd = (struct crowd){ .members = members };
    for (int i = 0; i < members; i++)
        crowd->ranks[i] = members == size ? i : (size + 2 - i) % size;
    for (int type = 0; type < REF_TYPES; type++) {
        const void *in[MOST_RANKS];
        int64_t count = count_of((enum dist_type)type, MOST_BYTES);
        for (int i = 0; i < members; i++) {
            in[i] = crowd->in[type][i] = malloc(MOST_BYTES);
            ref_fill((enum dist_type)type, crowd->in[type][i], count, seed + (uint64_t)(100 * type + i));
        }
        for (int op = 0; op < REF_OPS; op++) {
            crowd->out[type][op] = malloc(MOST_BYTES);
            ref_reduce((enum dist_type)type, (enum dist_op)op, crowd->out[type][op], in, members, count);
        }
    }
}

static void crowd_free(struct crowd *crowd)
{
    for (int type = 0; type < REF_TYPES; type++) {
        for (int i = 0; i < crowd->members; i++)
            free(crowd->in[type][i]);
        for (int op = 0; op < REF_OPS; op++)
            free(crowd->out[type][op]);
    }
}

/* ---- in a rank -------------------------------------------------------------------- */

struct member {
    struct exam *exam;
    const struct crowd *crowd;
    dist_group *group;
    int me; /* in the group */
};

static void check(const struct member *m, const char *call, enum dist_type type, enum dist_op op,
                  const void *got, const void *wanted, int64_t count)
{
    exam_check(m->exam, ref_difference(type, got, wanted, count) < 0,
               "%s %s of %lld %s among %d: wrong on member %d", call, ref_op_name(op), (long long)count,
               ref_type_name(type), m->crowd->members, m->me);
}

/* all_reduce; then the first member's answer goes to all: is it mine, bit for bit? And reduce, to the last member. */
static void reductions(const struct member *m, enum dist_type type, enum dist_op op, int64_t count)
{
    const struct crowd *crowd = m->crowd;
    char *mine = malloc(MOST_BYTES), *first = malloc(MOST_BYTES);
    int last = crowd->members - 1;
    tensor *t = tensor_zeros(type, count);
    tensor_write(t, crowd->in[type][m->me]);
    dist_all_reduce(t, .op = op, .group = m->group);
    tensor_read(t, mine);
    check(m, "all_reduce", type, op, mine, crowd->out[type][op], count);
    dist_broadcast(t, crowd->ranks[0], .group = m->group);
    tensor_read(t, first);
    exam_check(m->exam, ref_difference(type, mine, first, count) < 0,
               "all_reduce %s of %lld %s among %d: member %d has other bits than the first", ref_op_name(op),
               (long long)count, ref_type_name(type), crowd->members, m->me);
    tensor_write(t, crowd->in[type][m->me]);
    dist_reduce(t, crowd->ranks[last], .op = op, .group = m->group);
    tensor_read(t, mine);
    if (m->me == last)
        check(m, "reduce", type, op, mine, crowd->out[type][op], count);
    else
        exam_check(m->exam, ref_difference(type, mine, crowd->in[type][m->me], count) < 0,
                   "reduce changes the tensor of member %d", m->me);
    tensor_free(t);
    free(mine);
    free(first);
}

static void all_gather(const struct member *m, int64_t count, bool in_place)
{
    const struct crowd *crowd = m->crowd;
    int64_t begin = m->me * count;
    unsigned char *all = malloc((size_t)(count * crowd->members) + 1);
    tensor *out = tensor_zeros(DIST_U8, count * crowd->members);
    tensor *own = in_place ? tensor_slice(out, begin, begin + count) : tensor_zeros(DIST_U8, count);
    tensor_write(own, crowd->in[DIST_U8][m->me]);
    dist_all_gather(out, own, .group = m->group);
    tensor_read(out, all);
    for (int i = 0; i < crowd->members; i++)
        exam_check(m->exam, memcmp(all + i * count, crowd->in[DIST_U8][i], (size_t)count) == 0,
                   "all_gather of %lld bytes%s: block %d of %d is wrong on member %d", (long long)count,
                   in_place ? " in place" : "", i, crowd->members, m->me);
    tensor_free(own);
    tensor_free(out);
    free(all);
}

static void everything(const struct member *m)
{
    static const size_t bytes[] = { 8, 40, 48, 1000, 16384, 16392, MOST_BYTES };
    static const int64_t odd[] = { 1, 41, 16383, 16385, 19997 };
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        for (int which = 0; which < REF_TYPES * REF_OPS; which++) {
            enum dist_type type = (enum dist_type)(which / REF_OPS);
            reductions(m, type, (enum dist_op)(which % REF_OPS), count_of(type, bytes[i]));
        }
    for (size_t i = 0; i < 2 * sizeof odd / sizeof *odd; i++)
        all_gather(m, odd[i / 2], i % 2);
}

static void body(struct exam *exam, int rank, int size)
{
    const struct crowd *crowd = exam->given;
    struct member m = { .exam = exam, .crowd = crowd, .me = -1 };
    for (int i = 0; i < crowd->members; i++)
        m.me = crowd->ranks[i] == rank ? i : m.me;
    if (crowd->members < size)
        m.group = dist_new_group(crowd->ranks, crowd->members);
    exam_check(exam, true, "a rank is there");
    if (m.me >= 0)
        everything(&m);
    if (m.group)
        dist_group_free(m.group);
}

static void crowds(const char *name, int size, int members)
{
    struct crowd crowd;
    struct exam *exam = exam_new(name, size);
    crowd_new(&crowd, size, members, exam->seed);
    exam->seconds = 50;
    exam->given = &crowd;
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
    crowd_free(&crowd);
}

TestSuite(crowds, .timeout = 60);

Test(crowds, of_16_and_one)
{
    crowds("17 ranks", 17, 17);
}

Test(crowds, of_16_and_four)
{
    crowds("20 ranks", 20, 20);
}

Test(crowds, of_16_twice_and_one)
{
    crowds("33 ranks", 33, 33);
}

Test(crowds, in_a_group_in_another_order)
{
    crowds("18 of 20 ranks", 20, 18);
}
