/* test_stress.c: 16 ranks on whatever cores there are, in random mixes of everything, again and again. */
#define _GNU_SOURCE
#include "stress_run.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* `runs` mixes, each with a seed and a deadline of its own. */
static void stress(const char *name, int size, int runs, struct stress_plan plan)
{
    for (int i = 0; i < runs; i++) {
        struct exam *exam = exam_new(name, size);
        exam->seed += (uint64_t)i;
        exam->seconds = 30;
        exam->given = &plan;
        bool passed = exam_run(exam, stress_body);
        cr_assert(passed, "%s", exam_words(exam));
        exam_free(exam);
    }
}

TestSuite(stress, .timeout = 100);

Test(stress, sixteen_ranks)
{
    stress("16 ranks", STRESS_RANKS, 12, (struct stress_plan){ .steps = 400 });
}

Test(stress, sixteen_ranks_that_dawdle)
{
    stress("16 ranks that dawdle", STRESS_RANKS, 4, (struct stress_plan){ .steps = 300, .dawdle = true });
}

Test(stress, three_ranks_for_long)
{
    stress("3 ranks", 3, 4, (struct stress_plan){ .steps = 3000 });
}

Test(stress, sixteen_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    stress("16 threads", STRESS_RANKS, 8, (struct stress_plan){ .steps = 400 });
}

Test(stress, eager_messages)
{
    setenv("DIST_BUFFERING", "eager:4096", 1);
    stress("16 ranks, eager", STRESS_RANKS, 2, (struct stress_plan){ .steps = 400 });
    setenv("DIST_RANKS", "threads", 1);
    stress("16 threads, eager", STRESS_RANKS, 2, (struct stress_plan){ .steps = 400 });
}
