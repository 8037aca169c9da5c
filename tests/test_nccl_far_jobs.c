/*
 * test_nccl_far_jobs.c: jobs over several machines: how ranks work together, and check each other, with nothing but NCCL
 * between them. Each rank is a thread with a stage (doubles/nccl/stage.h).
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#include "doubles/nccl/stage.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 3

static const struct double_script moving = { .moves = true, .spread = true };

static void set_up(void)
{
    setenv("MASTER_ADDR", "first.example.org", 1);
    setenv("MASTER_PORT", "4711", 1);
    setenv("DIST_TIMEOUT", "5", 1);
}

TestSuite(nccl_far_jobs, .timeout = 60, .init = set_up);

/* What became of each rank's op. */
struct ending {
    int status;
    char why[400];
    float first;
};

static struct job {
    void (*body)(struct stage *stage, int rank, struct ending *ending);
    struct ending endings[RANKS];
} job;

static void *rank_main(void *argument)
{
    int rank = (int)(intptr_t)argument;
    struct stage *stage = stage_open(rank, RANKS, &script);
    struct ending *ending = &job.endings[rank];
    if (stage->state)
        job.body(stage, rank, ending);
    else
        *ending = (struct ending){ .status = -stage->status };
    stage_close(stage);
    return NULL;
}

static void run(void (*body)(struct stage *, int, struct ending *))
{
    pthread_t threads[RANKS];
    job = (struct job){ .body = body };
    double_play(&moving);
    /* Else each thread would set it, while others read the environment. */
    setenv("NCCL_COMM_ID", "127.0.0.1:29500", 1);
    for (int i = 0; i < RANKS; i++)
        pthread_create(&threads[i], NULL, rank_main, (void *)(intptr_t)i);
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
}

static void end(struct stage *stage, struct dist_work *op, struct ending *ending)
{
    bool over = stage_await(stage, op, 20);
    ending->status = over ? op->status : -1;
    ending->first = *(float *)op->out.data;
    snprintf(ending->why, sizeof ending->why, "%s", op->why.text);
}

static void expect_endings(int status, const char *words)
{
    for (int i = 0; i < RANKS; i++) {
        const struct ending *ending = &job.endings[i];
        cr_assert_eq(ending->status, status, "rank %d ends with %d: %s", i, ending->status, ending->why);
        cr_assert(!words || strstr(ending->why, words), "rank %d says \"%s\", not \"%s\"", i, ending->why,
                  words);
    }
}

static void sum(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *op = stage_op(stage, CALL_ALL_REDUCE, 4);
    *(float *)op->in.data = (float)(1 + rank);
    backend_nccl.collective(stage->state, op);
    end(stage, op, ending);
}

/* Each sends to the right and receives from the left, in an order of its own. */
static void ring(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *send = stage_message(stage, true, (rank + 1) % RANKS, 4);
    struct dist_work *recv = stage_message(stage, false, (rank + RANKS - 1) % RANKS, 4);
    *(float *)send->in.data = (float)(10 + rank);
    if (rank == 1)
        backend_nccl.recv(stage->state, recv);
    backend_nccl.send(stage->state, send);
    if (rank != 1)
        backend_nccl.recv(stage->state, recv);
    end(stage, send, ending);
    if (ending->status == DIST_OK)
        end(stage, recv, ending);
}

static void expect_numbers(void)
{
    run(sum);
    expect_endings(DIST_OK, NULL);
    cr_assert(job.endings[0].first == 6 && job.endings[2].first == 6, "the sum is %g",
              (double)job.endings[0].first);
    run(ring);
    expect_endings(DIST_OK, NULL);
    for (int i = 0; i < RANKS; i++)
        cr_assert(job.endings[i].first == (float)(10 + (i + RANKS - 1) % RANKS), "rank %d: %g", i,
                  (double)job.endings[i].first);
}

Test(nccl_far_jobs, jobs_work)
{
    expect_numbers();
}

Test(nccl_far_jobs, jobs_work_checked)
{
    setenv("DIST_CHECK", "1", 1);
    expect_numbers();
}

static void other_count(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *op = stage_op(stage, CALL_ALL_REDUCE, rank == 1 ? 5 : 4);
    backend_nccl.collective(stage->state, op);
    end(stage, op, ending);
}

static void shorter_receive(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *op = stage_message(stage, rank == 0, rank == 0 ? 1 : 0, rank == 0 ? 8 : 5);
    if (rank < 2) {
        (rank == 0 ? backend_nccl.send : backend_nccl.recv)(stage->state, op);
        end(stage, op, ending);
    } else {
        *ending = (struct ending){ DIST_ERR_MISMATCH, "rank 0 sends 8 elements", 0 };
    }
}

Test(nccl_far_jobs, what_differs_is_named_on_all)
{
    setenv("DIST_CHECK", "1", 1);
    run(other_count);
    expect_endings(DIST_ERR_MISMATCH, "rank 0 has 4 elements (play.c:10), rank 1 has 5 elements (play.c:10)");
    run(shorter_receive);
    expect_endings(DIST_ERR_MISMATCH, "rank 0 sends 8 elements");
}

/* Neither of the two speaks first. */
static void receive_against_collective(struct stage *stage, int rank, struct ending *ending)
{
    const int list[2] = { 0, 1 };
    struct dist_group *group = stage_group(stage, list, 2);
    struct dist_work *op =
        rank == 0 ? stage_message(stage, false, 1, 4) : stage_op(stage, CALL_ALL_REDUCE, 4);
    if (rank < 2) {
        op->group = group;
        (rank == 0 ? backend_nccl.recv : backend_nccl.collective)(stage->state, op);
        end(stage, op, ending);
    }
}

Test(nccl_far_jobs, a_receive_against_a_collective)
{
    setenv("DIST_CHECK", "1", 1);
    run(receive_against_collective);
    for (int i = 0; i < 2; i++)
        cr_expect(job.endings[i].status == DIST_ERR_MISMATCH && strstr(job.endings[i].why, "rank 1 calls"),
                  "rank %d ends with %d: %s", i, job.endings[i].status, job.endings[i].why);
}

/* Two groups of the same two ranks. Each sends and receives, but they do not mean the same group. */
static void other_group(struct stage *stage, int rank, struct ending *ending, enum call send, enum call recv)
{
    const int list[2] = { 0, 1 };
    struct dist_group *one = stage_group(stage, list, 2), *other = stage_group(stage, list, 2);
    struct dist_work *ops[2];
    if (rank > 1)
        return;
    for (int i = 0; i < 2; i++) {
        bool sends = i == rank;
        ops[i] = stage_message(stage, sends, 1 - rank, 4);
        ops[i]->group = rank == 0 ? one : other;
        ops[i]->call = sends ? send : recv;
        ops[i]->at.line += rank;
        (sends ? backend_nccl.send : backend_nccl.recv)(stage->state, ops[i]);
    }
    end(stage, ops[0], ending);
}

static void batches_of_other_groups(struct stage *stage, int rank, struct ending *ending)
{
    other_group(stage, rank, ending, CALL_BATCH, CALL_BATCH);
}

static void messages_of_other_groups(struct stage *stage, int rank, struct ending *ending)
{
    other_group(stage, rank, ending, CALL_ISEND, CALL_IRECV);
}

/* Ranks 0 and 1: the first message goes from 0 to 1. */
static void expect_groups(void)
{
    for (int i = 0; i < 2; i++) {
        const struct ending *ending = &job.endings[i];
        cr_assert_eq(ending->status, DIST_ERR_MISMATCH, "rank %d ends with %d", i, ending->status);
        cr_assert_not_null(strstr(ending->why,
                                  "rank 0's send means group 1 (play.c:10), and rank 1's receive "
                                  "means group 2 (play.c:11)"),
                           "rank %d says \"%s\"", i, ending->why);
    }
}

Test(nccl_far_jobs, messages_that_mean_other_groups_say_which)
{
    setenv("DIST_CHECK", "1", 1);
    run(messages_of_other_groups);
    expect_groups();
    run(batches_of_other_groups);
    expect_groups();
}

Test(nccl_far_jobs, without_checks_it_hangs_until_the_time_is_up)
{
    setenv("DIST_TIMEOUT", "1", 1);
    run(other_count);
    expect_endings(DIST_ERR_TIMEOUT, "NCCL has not ended it within 1 s");
}
