/* test_cores.c: ranks that outnumber cores go where they are at home (lib/backends/shm/cores.c), and keep the affinity that they had. */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define RANKS 5
#define JOBS 20

/* All begin on one core, so that somebody has to move where there are several. */
static void gather_on_one_core(const cpu_set_t *all)
{
    cpu_set_t one;
    size_t core = 0;
    CPU_ZERO(&one);
    while (!CPU_ISSET(core, all))
        core++;
    CPU_SET(core, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setaffinity(0, sizeof *all, all);
}

/* The ranks in blocks, one for each core. */
static int home_of(int rank, int size, const cpu_set_t *all)
{
    int before = rank * CPU_COUNT(all) / size, core = 0;
    while (!CPU_ISSET((size_t)core, all) || before-- > 0)
        core++;
    return core;
}

/* How many ranks of the jobs were at home when they had joined. */
static _Atomic int *at_home;

static void join(struct exam *exam, int rank, int size)
{
    cpu_set_t all;
    sched_getaffinity(0, sizeof all, &all);
    *at_home += CPU_COUNT(&all) >= size || sched_getcpu() == home_of(rank, size, &all);
    exam_check(exam, dist_get_rank() == rank, "this is rank %d", dist_get_rank());
}

/* The scheduler may have other plans, but not each time. If it alone decides, one job in thirty has all ranks there. */
Test(cores, ranks_join_at_home)
{
    int good = 0;
    at_home = mmap(NULL, sizeof *at_home, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int job = 0; job < JOBS; job++) {
        struct exam *exam = exam_new("ranks that join", RANKS);
        *at_home = 0;
        cr_assert(exam_run(exam, join), "%s", exam_words(exam));
        good += *at_home == RANKS;
        exam_free(exam);
    }
    cr_assert(good >= JOBS / 4, "in %d of %d jobs all ranks were at home", good, JOBS);
}

static void meet_often(struct exam *exam, int rank, int size)
{
    cpu_set_t before, after;
    tensor *t = tensor_zeros(DIST_I64, 1);
    sched_getaffinity(0, sizeof before, &before);
    gather_on_one_core(&before);
    for (int i = 0; i < 3000; i++) {
        tensor_fill(t, rank);
        dist_all_reduce(t);
        exam_check(exam, (int)tensor_item(t, 0) == size * (size - 1) / 2, "round %d: the sum is wrong", i);
    }
    sched_getaffinity(0, sizeof after, &after);
    exam_check(exam, CPU_EQUAL(&before, &after), "rank %d may run elsewhere now", rank);
    tensor_free(t);
}

Test(cores, affinity_stays)
{
    struct exam *exam = exam_new("ranks that move", RANKS);
    cr_assert(exam_run(exam, meet_often), "%s", exam_words(exam));
    exam_free(exam);
}
