/*
 * test_nccl_far.c: ranks on several machines, of which each has a world of its own: how they find each other, and how they
 * check each other with nothing but NCCL between them. Each rank is a thread with a stage (doubles/nccl/stage.h).
 */
#define _GNU_SOURCE
#include <criterion/criterion.h>

#ifndef HAVE_NCCL
Test(nccl_far, all_of_it)
{
    cr_skip_test("there is no nccl.h, so the nccl room was not built");
}
#else
#include "doubles/nccl/stage.h"
#include "started.h"

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

TestSuite(nccl_far, .timeout = 60, .init = set_up);

/* ---- finding each other --------------------------------------------------------------------------- */

static void expect_address(const char *expected)
{
    struct double_script how = { .spread = true };
    struct stage *stage = stage_open(1, 4, &how);
    cr_assert_not_null(stage->room, "open failed: %s", stage->why);
    cr_assert_str_eq(getenv("NCCL_COMM_ID"), expected);
    cr_assert_not_null(strstr(double_log(1), expected), "%s", double_log(1));
    stage_close(stage);
}

Test(nccl_far, rank_0_waits_at_the_masters_address)
{
    expect_address("first.example.org:4711");
}

Test(nccl_far, not_at_the_port_where_torchruns_agent_listens)
{
    setenv("TORCHELASTIC_USE_AGENT_STORE", "True", 1);
    expect_address("first.example.org:4712");
}

Test(nccl_far, an_ipv6_address_gets_brackets)
{
    setenv("MASTER_ADDR", "fe80::1", 1);
    expect_address("[fe80::1]:4711");
}

Test(nccl_far, the_port_has_a_usual_value)
{
    unsetenv("MASTER_PORT");
    expect_address("first.example.org:29500");
}

Test(nccl_far, what_the_user_has_set_stays)
{
    setenv("NCCL_COMM_ID", "10.0.0.7:99", 1);
    expect_address("10.0.0.7:99");
}

static void expect_refusal(const char *words)
{
    struct double_script how = { .spread = true };
    struct stage *stage = stage_open(1, 4, &how);
    cr_assert_null(stage->room);
    cr_assert_eq(stage->status, DIST_ERR_ENVIRONMENT);
    cr_assert_not_null(strstr(stage->why, words), "%s", stage->why);
}

Test(nccl_far, without_an_address_it_says_what_to_set)
{
    unsetenv("MASTER_ADDR");
    expect_refusal("only 1 of the 4 ranks run on this machine, and MASTER_ADDR is not set");
}

Test(nccl_far, a_port_that_is_none)
{
    setenv("MASTER_PORT", "70000", 1);
    expect_refusal("MASTER_PORT is \"70000\"");
}

/* What a launcher tells of several machines: shm refuses, nccl gets as far as to the address. */
Test(nccl_far, a_launcher_over_several_machines)
{
    static struct started run;
    unsetenv("MASTER_ADDR");
    STARTED(&run, SETTINGS("RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2", NULL), "plain");
    cr_assert_eq(run.status, DIST_ERR_ENVIRONMENT);
    cr_assert_not_null(strstr(run.stderr_text, "BACKEND=nccl GPUs of many"), "%s", run.stderr_text);
    STARTED(&run,
            SETTINGS("RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2", "BACKEND=nccl", "DEVICE=sim", NULL),
            "plain");
    cr_assert_eq(run.status, DIST_ERR_ENVIRONMENT);
    cr_assert_not_null(strstr(run.stderr_text, "MASTER_ADDR is not set"), "%s", run.stderr_text);
}

/* ---- jobs ------------------------------------------------------------------------------------------- */

/* What became of each rank's op. */
struct ending {
    int status;
    char why[256];
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
    if (stage->room)
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
    snprintf(ending->why, sizeof ending->why, "%s", op->why);
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
    backend_nccl.all_reduce(stage->room, op);
    end(stage, op, ending);
}

/* Each sends to the right and receives from the left, in an order of its own. */
static void ring(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *send = stage_message(stage, true, (rank + 1) % RANKS, 4);
    struct dist_work *recv = stage_message(stage, false, (rank + RANKS - 1) % RANKS, 4);
    *(float *)send->in.data = (float)(10 + rank);
    if (rank == 1)
        backend_nccl.recv(stage->room, recv);
    backend_nccl.send(stage->room, send);
    if (rank != 1)
        backend_nccl.recv(stage->room, recv);
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

Test(nccl_far, jobs_work)
{
    expect_numbers();
}

Test(nccl_far, jobs_work_checked)
{
    setenv("DIST_CHECK", "1", 1);
    expect_numbers();
}

static void other_count(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *op = stage_op(stage, CALL_ALL_REDUCE, rank == 1 ? 5 : 4);
    backend_nccl.all_reduce(stage->room, op);
    end(stage, op, ending);
}

static void shorter_receive(struct stage *stage, int rank, struct ending *ending)
{
    struct dist_work *op = stage_message(stage, rank == 0, rank == 0 ? 1 : 0, rank == 0 ? 8 : 5);
    if (rank < 2) {
        (rank == 0 ? backend_nccl.send : backend_nccl.recv)(stage->room, op);
        end(stage, op, ending);
    } else {
        *ending = (struct ending){ DIST_ERR_MISMATCH, "rank 0 sends 8 elements", 0 };
    }
}

Test(nccl_far, what_differs_is_named_on_all)
{
    setenv("DIST_CHECK", "1", 1);
    run(other_count);
    expect_endings(DIST_ERR_MISMATCH, "rank 0 has 4 elements (play.c:10), rank 1 has 5 elements (play.c:10)");
    run(shorter_receive);
    expect_endings(DIST_ERR_MISMATCH, "rank 0 sends 8 elements");
}

Test(nccl_far, without_checks_it_hangs_until_the_time_is_up)
{
    setenv("DIST_TIMEOUT", "1", 1);
    run(other_count);
    expect_endings(DIST_ERR_TIMEOUT, "NCCL has not ended it within 1 s");
}
#endif
