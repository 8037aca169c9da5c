/*
 * test_generated.c: is every mistake found, and nothing else taken for one?
 *
 * Each label gets as many programs, and as many right ones are made as wrong ones. A run prints its seed; with
 * DIST_TEST_SEED set to it the same programs are made again.
 */
#define _GNU_SOURCE
#include "generated.h"
#include "hurry.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Under a sanitizer what is left lying on purpose would be reported. */
enum { LABELS = SANITIZED ? FAULT_LEAK_WORK : FAULT_COUNT };

static int each(void)
{
    return hurry() ? 1 : 6;
}

#define DEADLINE 20.0 /* seconds for one program, which needs a few milliseconds; over MPI up to a second */

/* What came of all programs with one label. */
struct row {
    int programs, right;
    double slowest; /* seconds */
};

/* Judge one program. The first few that surprise are printed whole. */
static void examine(const struct gen_program *p, const struct gen_place *place, struct row *row)
{
    static struct gen_verdict verdict;
    static int surprises;
    gen_judge(p, place, 1, DEADLINE, &verdict);
    row->programs++;
    row->right += verdict.right;
    if (verdict.seconds > row->slowest)
        row->slowest = verdict.seconds;
    if (verdict.right || surprises++ >= 3)
        return;
    gen_print(p);
    printf("as %s: %s. It said:\n%s\n", place->name, verdict.wrong, verdict.said);
    fflush(stdout);
}

/* MPICH is slow where ranks outnumber the cores. */
static int place_size(const struct gen_place *place, enum gen_fault fault, uint64_t seed)
{
    int size = gen_size_for(fault, seed);
    return place->needs && size > 4 ? 4 : size;
}

static void print_table(const struct row *rows, const char *mode, uint64_t seed)
{
    printf("ranks as %s, DIST_TEST_SEED=%lu\n  %-24s programs  right  slowest\n", mode, (unsigned long)seed,
           "label");
    for (int fault = 0; fault < LABELS; fault++)
        printf("  %-24s %8d %6d  %4.0f ms\n", gen_fault_name((enum gen_fault)fault), rows[fault].programs,
               rows[fault].right, rows[fault].slowest * 1e3);
    fflush(stdout);
}

static void examine_all(const struct gen_place *place)
{
    static struct gen_program p;
    struct row rows[FAULT_COUNT] = { { 0 } };
    uint64_t first = gen_first_seed(), seed = first;
    int wrong_ones = 0, found = 0;
    for (int i = 0; i < each(); i++)
        for (int fault = 1; fault < LABELS; fault++) {
            gen_make(&p, seed, gen_size_for((enum gen_fault)fault, seed), (enum gen_fault)fault,
                     &place->where);
            examine(&p, place, &rows[fault]);
            seed++;
            gen_make(&p, seed, gen_size_for(FAULT_NONE, seed), FAULT_NONE, &place->where);
            examine(&p, place, &rows[FAULT_NONE]);
            seed++;
        }
    for (int fault = 1; fault < LABELS; fault++) {
        wrong_ones += rows[fault].programs;
        found += rows[fault].right;
    }
    print_table(rows, place->name, first);
    cr_assert(rows[FAULT_NONE].right == rows[FAULT_NONE].programs,
              "%d right programs were taken for wrong ones",
              rows[FAULT_NONE].programs - rows[FAULT_NONE].right);
    cr_assert(found == wrong_ones, "%d of %d wrong programs were found out", found, wrong_ones);
}

TestSuite(generated, .timeout = 200);

Test(generated, as_processes)
{
    examine_all(gen_place(0));
}

Test(generated, as_threads)
{
    examine_all(gen_place(1));
}

/* Each label somewhere else than on shared memory alone; in test-all everywhere. */
Test(generated, in_every_place)
{
    static struct gen_program p;
    struct row row = { 0 };
    uint64_t first = gen_first_seed(), seed = first;
    int places = gen_place_count(), turns = hurry() ? 1 : places;
    for (int turn = 0; turn < turns; turn++)
        for (int label = 1; label < LABELS; label++, seed++) {
            const struct gen_place *place =
                gen_place((int)((first + (uint64_t)(label + turn)) % (uint64_t)places));
            enum gen_fault fault = (enum gen_fault)label;
            gen_make(&p, seed, place_size(place, fault, seed), fault, &place->where);
            examine(&p, place, &row);
        }
    printf("%d wrong programs in %d places, DIST_TEST_SEED=%lu: %d found out\n", row.programs, places,
           (unsigned long)first, row.right);
    cr_assert(row.right == row.programs, "%d of %d wrong programs were found out", row.right, row.programs);
}

/* ---- right ones, in every mode --------------------------------------------------------------------------- */

#define PROGRAMS 10 /* of one job */

/* Some programs in a job, each so often, with random delays. False: something was said. */
static bool right_job(uint64_t seed, int schedules, const struct gen_place *place, volatile uint64_t *now)
{
    static struct gen_verdict verdict;
    struct gen_many many = { .seed = seed,
                             .size = place_size(place, FAULT_NONE, seed),
                             .programs = PROGRAMS,
                             .schedules = schedules,
                             .where = place->where,
                             .now = now };
    gen_judge_many(&many, place, DEADLINE * 24, &verdict);
    if (verdict.right)
        return true;
    printf("%s, %d ranks, job of seed %lu, in the program of seed %lu: %s. It said:\n%s\n", place->name,
           many.size, (unsigned long)seed, (unsigned long)*now, verdict.wrong, verdict.said);
    fflush(stdout);
    return false;
}

/* RIGHT_RUNS runs, where that is set. A rank that comes late is no reason to complain, wherever it is late. */
Test(generated, right_ones_under_random_delays, .timeout = 14400)
{
    const char *given = getenv("RIGHT_RUNS");
    int schedules = hurry() ? 2 : 10, job = PROGRAMS * schedules, runs = 0, wrong = 0;
    int wanted = given ? atoi(given) : gen_place_count() * job;
    uint64_t first = gen_first_seed() + 100000, seed = first;
    volatile uint64_t *now =
        mmap(NULL, sizeof *now, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; runs < wanted; i++, seed += PROGRAMS, runs += job) {
        wrong += !right_job(seed, schedules, gen_place(i), now);
        if (i % 250 == 249)
            printf("%d runs so far\n", runs + job);
        fflush(stdout);
    }
    printf("%d right runs in %d places, each program with %d schedules of random delays, DIST_TEST_SEED=%lu: "
           "%d jobs were complained of\n",
           runs, gen_place_count(), schedules, (unsigned long)(first - 100000), wrong);
    fflush(stdout);
    cr_assert(wrong == 0, "%d jobs of right programs were complained of", wrong);
}
