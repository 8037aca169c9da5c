/* test_parts_ring.c: whoever sleeps until a long collective's parts are done is woken by the last of them, at once. */
#define _GNU_SOURCE
#include "dist.h"
#include "conform_exam.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

TestSuite(parts_ring, .timeout = 60);

#define COUNT \
    5000 /* elements: small parts, which only their own core's ranks do; yet not through the slots */
#define ROUNDS 8
#define STILL 30000 /* us: then the other sleeps */
#define SOON 25000  /* us: much less than what is left of its nap of 100 ms */

/* Words of the board. */
enum { PID, BEGUN, STOPPED, CONTINUED };

static uint32_t clock_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)now.tv_sec * 1000000u + (uint32_t)now.tv_nsec / 1000u;
}

/* Rank 0 waits for rank 1's part, in the call or in dist_wait. Gives how long after rank 1 was continued. */
static uint32_t wait_for_part(struct exam *exam, tensor *t, dist_group *group, uint32_t number)
{
    exam_await(exam, BEGUN, number);
    exam_stop((int)atomic_load(&exam->board[PID]));
    atomic_store(&exam->board[STOPPED], number);
    dist_work *work = dist_all_reduce(t, .group = group, .async_op = number % 2);
    if (work)
        dist_wait(work);
    return clock_us() - atomic_load(&exam->board[CONTINUED]);
}

/* Rank 1 has another core, so nobody does its small part. Rank 2 lets it go on. */
static void one_is_awaited(struct exam *exam, int rank, int size)
{
    (void)size;
    dist_group *group = dist_new_group(((int[]){ 0, 1 }), 2);
    int soon[2] = { 0, 0 }; /* of the blocking calls, and of the others: on a busy machine not all are */
    exam_stay_on(rank == 1);
    if (rank == 1)
        atomic_store(&exam->board[PID], (uint32_t)getpid());
    for (uint32_t number = 1; number <= ROUNDS; number++) {
        tensor *t = tensor_full(DIST_F32, rank, COUNT);
        if (rank == 0) {
            soon[number % 2] += wait_for_part(exam, t, group, number) <= SOON;
        } else if (rank == 1) {
            dist_work *work = dist_all_reduce(t, .group = group, .async_op = true);
            atomic_store(&exam->board[BEGUN], number);
            exam_await(exam, STOPPED, number);
            dist_wait(work);
        } else {
            exam_await(exam, STOPPED, number);
            usleep(STILL);
            atomic_store(&exam->board[CONTINUED], clock_us());
            kill((pid_t)atomic_load(&exam->board[PID]), SIGCONT);
        }
        tensor_free(t);
    }
    for (int async = 0; async < 2; async++)
        exam_check(exam, rank != 0 || soon[async] > 0, "the last part's end woke nobody in %s",
                   async ? "dist_wait" : "the call");
    dist_group_free(group);
}

Test(parts_ring, whoever_does_the_last_wakes_the_others)
{
    cpu_set_t mine;
    if (sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) < 2)
        cr_skip_test("it takes two cores");
    struct exam *exam = exam_new("one is awaited", 3);
    cr_assert(exam_run(exam, one_is_awaited), "%s", exam_words(exam));
    exam_free(exam);
}
