/*
 * test_nccl_generated.c: the generated programs (generated.h) over the nccl backend, on the double of NCCL: is every mistake found, and no
 * right program complained of? Ranks are threads with simulated GPUs.
 */
#define _GNU_SOURCE
#include "generated.h"

#include "doubles/nccl/told.h"

#include <criterion/criterion.h>
#include <stdlib.h>

TestSuite(nccl_generated, .timeout = 600, .init = told_play);

#define ON_NCCL .on_device = true, .backend = "nccl"
static const struct gen_place plain = { "nccl", { "DIST_RANKS=threads" }, { ON_NCCL }, NULL };
static const struct gen_place checked = {
    "nccl, checked", { "DIST_CHECK=1" }, { ON_NCCL, .checked = true }, NULL
};

static int wrong_verdicts(const struct gen_place *place, enum gen_fault fault, uint64_t seed)
{
    static struct gen_program p;
    static struct gen_verdict verdict;
    gen_make(&p, seed, gen_size_for(fault, seed), fault, &place->where);
    gen_judge(&p, place, 1, 60, &verdict);
    if (verdict.right)
        return 0;
    gen_print(&p);
    printf("as %s, seed %lu, %s: %s. It said:\n%s\n", place->name, (unsigned long)seed, gen_fault_name(fault),
           verdict.wrong, verdict.said);
    fflush(stdout);
    return 1;
}

static void every_label(const struct gen_place *place)
{
    uint64_t seed = gen_first_seed();
    int wrong = 0;
    printf("%s: DIST_TEST_SEED=%lu\n", place->name, (unsigned long)seed);
    for (int fault = FAULT_NONE; fault < FAULT_COUNT; fault++)
        wrong += wrong_verdicts(place, (enum gen_fault)fault, seed++);
    cr_assert_eq(wrong, 0, "%d of %d programs were judged wrongly", wrong, FAULT_COUNT);
}

Test(nccl_generated, every_label)
{
    every_label(&plain);
}

Test(nccl_generated, every_label_checked)
{
    every_label(&checked);
}

#define PROGRAMS 10 /* of one job */

/* RIGHT_RUNS runs, where that is set: programs one after another in a job, each ten times, with random delays. */
Test(nccl_generated, right_ones_under_random_delays, .timeout = 7200)
{
    static struct gen_verdict verdict;
    const char *given = getenv("RIGHT_RUNS");
    int wanted = given ? atoi(given) : 4 * PROGRAMS * 10, wrong = 0;
    uint64_t first = gen_first_seed();
    printf("DIST_TEST_SEED=%lu\n", (unsigned long)first);
    for (int i = 0; i * PROGRAMS * 10 < wanted; i++) {
        const struct gen_place *place = i % 2 ? &plain : &checked;
        struct gen_many many = { .seed = first + (uint64_t)(i * PROGRAMS),
                                 .size = 2 + i % (GEN_RANKS - 1),
                                 .programs = PROGRAMS,
                                 .schedules = 10,
                                 .where = place->where };
        gen_judge_many(&many, place, 480, &verdict);
        if (verdict.right)
            continue;
        wrong++;
        printf("%s, %d ranks, job of seed %lu: %s. It said:\n%s\n", place->name, many.size,
               (unsigned long)many.seed, verdict.wrong, verdict.said);
    }
    cr_assert_eq(wrong, 0, "%d jobs of right programs were complained of", wrong);
}
