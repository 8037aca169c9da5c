/* test_quick_traced.c: are short messages, barriers and tiny all_reduces recorded whole, whichever way each of them goes? */
#define _GNU_SOURCE
#include "dist.h"
#include "quick_talk.h"
#include "trace_file.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <unistd.h>

TestSuite(quick_traced, .timeout = 60);

#define ROUNDS 600

/* Each round one message of 0 to 20 bytes, and a barrier or an all_reduce in some; whoever dawdles sends the others the long way. */
static void mixed(struct exam *exam, int rank, int size)
{
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    for (int round = 0; round < ROUNDS; round++) {
        int from = (int)ref_below(&common, size), to = (from + 1) % size;
        struct word word = { DIST_F32, ref_below(&common, 6), (int)ref_below(&common, 3) * 8192, common,
                             NULL };
        usleep(ref_below(&own, 8) ? 0 : (useconds_t)ref_below(&own, 300));
        if (rank == from)
            talk_send(exam, rank, to, word);
        if (rank == to)
            talk_recv(exam, rank, from, word);
        if (ref_below(&common, 3) == 0)
            dist_barrier();
        if (ref_below(&common, 3))
            continue;
        tensor *t = tensor_full(DIST_I32, 1, 1 + ref_below(&common, 12));
        usleep(ref_below(&own, 8) ? 0 : (useconds_t)ref_below(&own, 300));
        dist_all_reduce(t);
        exam_check(exam, tensor_item(t, 0) == size, "a sum is %g", tensor_item(t, 0));
        tensor_free(t);
    }
}

/* What the ranks see is right, and so is what the trace tells. */
static void traced(int size, const char *ranks)
{
    char path[64], why[300] = "";
    struct trace_counts counts;
    snprintf(path, sizeof path, "/tmp/test_quick_traced.%ld.json", (long)getpid());
    setenv("DIST_TRACE", path, 1);
    setenv("DIST_RANKS", ranks, 1);
    talk_run("traced", size, mixed);
    bool good = trace_judge(path, &counts, why, sizeof why);
    unlink(path);
    cr_assert(good, "%d ranks: %s", size, why);
    cr_assert(counts.messages == ROUNDS && counts.alone == 0 && counts.unfinished == 0 && counts.lost == 0,
              "%d ranks: %d messages, %d ends alone, %d unfinished, %lld lost", size, counts.messages,
              counts.alone, counts.unfinished, counts.lost);
}

Test(quick_traced, two_ranks)
{
    traced(2, "processes");
}

Test(quick_traced, three_ranks)
{
    traced(3, "processes");
}

Test(quick_traced, threads)
{
    traced(3, "threads");
}

/* With DIST_CHECK=1 there is no quick way; what is watched must be the same messages. */
Test(quick_traced, checked)
{
    setenv("DIST_CHECK", "1", 1);
    traced(2, "processes");
    traced(3, "threads");
}
