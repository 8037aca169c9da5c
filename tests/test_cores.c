/* test_cores.c: ranks that change their core (lib/backends/shm/cores.c) keep the affinity that they had. */
#define _GNU_SOURCE
#include "conform_exam.h"
#include "dist.h"

#include <criterion/criterion.h>
#include <sched.h>

#define RANKS 5

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
