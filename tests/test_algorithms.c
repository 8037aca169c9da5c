/*
 * test_algorithms.c: do collectives made of messages give what they should?
 *
 * `gather` and all but all_reduce combine in the order of the ranks: for them the conformance suite of the backends holds
 * as it is, bit for bit. Tree, ring and halving add up in another order: integers are still exact, floats are compared
 * with a tolerance, and in any case all ranks must hold the same bits.
 */
#define _GNU_SOURCE
#include "algorithms/algorithms.h"
#include "conform.h"
#include "hurry.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = { "gather", "tree", "ring", "halving" };
static const int64_t counts[] = { 0, 1, 3, 8, 1001, 4099 };

#define NAMES 4
#define COUNTS ((int)(sizeof counts / sizeof counts[0]))
#define MOST 4099

struct algorithms {
    struct pool pools[REF_TYPES];
    const char *forced; /* what DIST_ALGORITHM says; NULL: nothing, the algorithms are called by name */
};

/* ---- is it right? ------------------------------------------------------------------- */

/* How far a float may be off: each of n roundings by half a step, of a number not above `size`. */
static double tolerance(enum dist_type type, int n, double size)
{
    double step = type == DIST_F64   ? 0x1p-52
                  : type == DIST_F32 ? 0x1p-23
                  : type == DIST_F16 ? 0x1p-10
                                     : 0x1p-7;
    return type >= DIST_I32 ? 0 : step * n * fmax(size, 2 * n);
}

/* A copy of the elements, until the next call: they may lie on a GPU. */
static const void *elements_of(const tensor *t)
{
    static _Thread_local int64_t copy[MOST]; /* room for the largest type */
    tensor_read(t, copy);
    return copy;
}

static void check_values(struct exam *exam, const tensor *t, const void *answer, const char *what)
{
    enum dist_type type = tensor_type(t);
    int64_t count = tensor_numel(t), wrong = -1;
    const void *data = elements_of(t);
    if (type >= DIST_I32) {
        wrong = ref_difference(type, data, answer, count);
    } else {
        for (int64_t i = 0; i < count && wrong < 0; i++) {
            double is = ref_item(type, data, i), should = ref_item(type, answer, i);
            if (!(fabs(is - should) <= tolerance(type, exam->size, fabs(should))))
                wrong = i;
        }
    }
    exam_check(exam, wrong < 0, "%s: element %lld of %s is %g and should be %g", what, (long long)wrong,
               ref_type_name(type), wrong < 0 ? 0 : ref_item(type, data, wrong),
               wrong < 0 ? 0 : ref_item(type, answer, wrong));
}

/* A number made from all bits of it, compared by the ordinary all_gather. */
static void check_same_everywhere(struct exam *exam, const tensor *t, int size, const char *what)
{
    const unsigned char *byte = elements_of(t);
    uint64_t hash = 1469598103934665603u; /* FNV-1a */
    for (int64_t i = 0; i < tensor_numel(t) * (int64_t)ref_bytes(tensor_type(t)); i++)
        hash = (hash ^ byte[i]) * 1099511628211u;
    tensor *mine = tensor_from(DIST_I64, &(int64_t){ (int64_t)hash }, 1), *all = tensor_zeros(DIST_I64, size);
    dist_all_gather(all, mine);
    const int64_t *hashes = elements_of(all);
    for (int i = 1; i < size; i++)
        exam_check(exam, hashes[i] == hashes[0], "%s: ranks 0 and %d hold different bits", what, i);
    tensor_free(all);
    tensor_free(mine);
}

/* ---- every algorithm, type, reduction and count -------------------------------------------- */

static void reduce_once(struct exam *exam, const char *name, enum dist_type type, enum dist_op op, int which)
{
    const struct algorithms *given = exam->given;
    const struct pool *pool = &given->pools[type];
    int rank = dist_get_rank(), size = dist_get_world_size();
    char what[120];
    snprintf(what, sizeof what, "%s %s of %lld on rank %d of %d", name, ref_op_name(op),
             (long long)counts[which], rank, size);
    tensor *t = tensor_from(type, pool_in(pool, rank, 0), counts[which]);
    if (!given->forced)
        exam_check(exam, algorithm_all_reduce(name, t, op) == 0, "%s: no success", what);
    else if ((which + (int)op) % 2 == 0)
        dist_all_reduce(t, .op = op);
    else
        exam_check(exam, dist_wait(dist_all_reduce(t, .op = op, .async_op = true)) == 0, "%s: no success",
                   what);
    check_values(exam, t, pool_reduced(pool, op, 0), what);
    check_same_everywhere(exam, t, size, what);
    tensor_free(t);
}

static void all_of(struct exam *exam, const char *name)
{
    for (int type = 0; type < REF_TYPES; type++)
        for (int op = 0; op < REF_OPS; op++)
            for (int which = 0; which < COUNTS; which++)
                reduce_once(exam, name, (enum dist_type)type, (enum dist_op)op, which);
}

static void by_name(struct exam *exam, int rank, int size)
{
    (void)rank, (void)size;
    for (int i = 0; i < NAMES; i++)
        all_of(exam, names[i]);
}

static void by_environment(struct exam *exam, int rank, int size)
{
    const struct algorithms *given = exam->given;
    (void)rank, (void)size;
    all_of(exam, given->forced);
}

static void examine(const char *title, void (*body)(struct exam *, int, int), int size, const char *forced)
{
    struct exam *exam = exam_new(title, size);
    struct algorithms given = { .forced = forced };
    for (int type = 0; type < REF_TYPES; type++)
        cr_assert(pool_new(&given.pools[type], (enum dist_type)type, size, MOST, exam->seed), "no memory");
    exam->given = &given;
    bool passed = exam_run(exam, body);
    cr_assert(passed, "%s", exam_words(exam));
    for (int type = 0; type < REF_TYPES; type++)
        pool_free(&given.pools[type]);
    exam_free(exam);
}

TestSuite(algorithms, .timeout = 120);

Test(algorithms, by_the_calls_of_a_program)
{
    for (int size = hurry() ? 3 : 1; size <= (hurry() ? 3 : 8); size++)
        examine("algorithms by calls", by_name, size, NULL);
}

Test(algorithms, forced_upon_the_backend)
{
    for (int i = 0; i < NAMES; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        for (int size = hurry() ? 3 : 1; size <= (hurry() ? 3 : 8); size++)
            examine(names[i], by_environment, size, names[i]);
    }
}

Test(algorithms, forced_upon_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    for (int i = 0; i < NAMES; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        examine(names[i], by_environment, 3 + i, names[i]);
    }
}

/* ---- all collectives by messages: what backends must do, they must do ------------------------- */

static void conforms(const char *title, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    if (hurry() && size > 3)
        return;
    struct exam *exam = exam_new(title, size);
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = true;
    given.rounds = 1;
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

Test(algorithms, every_collective_by_messages_conforms)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    conforms("collectives by messages", conform_world, 1);
    for (int size = 2; size <= 8; size += 3)
        conforms("collectives by messages", conform_world, size);
}

Test(algorithms, sub_groups_and_order_by_messages_conform)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    for (int size = 3; size <= 8; size += 4) {
        conforms("sub-groups by messages", conform_groups, size);
        conforms("order by messages", conform_order, size);
    }
}

Test(algorithms, they_go_on_while_ranks_compute)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    conforms("progress by messages", conform_progress, 3);
}

/* ---- on tensors of a simulated GPU: there every collective is a thread's ---------------------------- */

Test(algorithms, on_a_gpu)
{
    setenv("DEVICE", "sim", 1);
    examine("algorithms by calls, GPU", by_name, 3, NULL);
    for (int i = 0; i < NAMES; i++) {
        setenv("DIST_ALGORITHM", names[i], 1);
        setenv("DIST_RANKS", i % 2 ? "threads" : "processes", 1);
        examine("algorithms, GPU", by_environment, 2 + i, names[i]);
    }
}

Test(algorithms, every_collective_by_messages_conforms_on_a_gpu)
{
    setenv("DEVICE", "sim", 1);
    setenv("DIST_ALGORITHM", "messages", 1);
    conforms("collectives by messages, GPU", conform_world, 3);
    conforms("sub-groups by messages, GPU", conform_groups, 5);
    conforms("order by messages, GPU", conform_order, 2);
    conforms("progress by messages, GPU", conform_progress, 2);
}
