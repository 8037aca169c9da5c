/*
 * test_stream_programs.c: random programs over streams, events, messages and collectives, in which nothing races, give what
 * the same program gives on the host, step by step. With DIST_CHECK=1 nothing is said of them; with one event left out
 * the missing order is told.
 *
 * STREAM_PROGRAMS=10000 is how many, all tests together that compare; 1000 otherwise. DIST_TEST_SEED repeats a run
 * that failed.
 */
#define _GNU_SOURCE
#include "stream_program.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define SPOILED 40 /* programs, a job each */

/* So many of a hundred. */
static int programs(int percent)
{
    const char *wanted = getenv("STREAM_PROGRAMS");
    int all = wanted != NULL ? atoi(wanted) : 1000;
    return (all * percent + 99) / 100;
}

static void run(const char *name, int ranks, int percent)
{
    struct stream_plan plan = { .programs = programs(percent) };
    struct exam *exam = exam_new(name, ranks);
    setenv("DEVICE", "sim", 1);
    exam->seconds = 200;
    exam->given = &plan;
    bool passed = exam_run(exam, stream_body);
    cr_assert(passed, "%s", exam_words(exam));
    exam_free(exam);
}

TestSuite(stream_programs, .timeout = 220);

Test(stream_programs, of_processes)
{
    run("2 ranks", 2, 17);
    run("3 ranks", 3, 17);
    run("4 ranks", 4, 16);
}

Test(stream_programs, of_threads)
{
    setenv("DIST_RANKS", "threads", 1);
    run("2 threads", 2, 10);
    run("4 threads", 4, 10);
}

Test(stream_programs, checked_and_not_accused)
{
    setenv("DIST_CHECK", "1", 1);
    run("2 ranks, checked", 2, 5);
    run("4 ranks, checked", 4, 5);
    setenv("DIST_RANKS", "threads", 1);
    run("3 threads, checked", 3, 5);
}

Test(stream_programs, with_small_messages_buffered)
{
    setenv("DIST_BUFFERING", "eager:40", 1);
    run("3 ranks, eager", 3, 5);
}

Test(stream_programs, that_make_their_connections_late)
{
    setenv("DIST_CONNECT", "lazy", 1);
    run("4 ranks, lazy", 4, 3);
}

static atomic_int calls; /* of rank 1 */
static atomic_bool early;

/* Rank 0 calls first, and goes on only when rank 1 has called, too. */
static void connect_late(int rank, int size)
{
    dist_init_process_group();
    dist_group *group = dist_new_group(((int[]){ 1, 0 }), size);
    tensor *x = tensor_zeros(DIST_F32, 4);
    for (int i = 0; i < 3; i++) {
        if (rank == 1)
            usleep(100000);
        calls += rank;
        if (i == 0 && rank == 0)
            dist_recv(x, DIST_ANY_SOURCE);
        else if (i == 0)
            dist_send(x, 0);
        else
            dist_all_reduce(x, .group = i == 1 ? NULL : group);
        early = early || calls <= i;
        dist_barrier();
    }
    tensor_free(x);
    dist_destroy_process_group();
}

Test(stream_programs, whose_groups_make_their_connections_late)
{
    setenv("DEVICE", "sim", 1);
    setenv("DIST_RANKS", "threads", 1);
    setenv("DIST_CONNECT", "lazy", 1);
    cr_assert_eq(dist_spawn(connect_late, 2), 0);
    cr_expect(!early, "the first collective of each group lets the host wait");
}

Test(stream_programs, over_slow_links)
{
    setenv("DIST_SIM", "20:1", 1);
    run("3 ranks, slow links", 3, 3);
}

Test(stream_programs, with_collectives_by_messages)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    run("3 ranks, by messages", 3, 4);
}

/* ---- is a missing event found? ------------------------------------------------------------- */

/* Run one program that lacks an event; its report is as it must be, and is not for the log. */
static int run_spoiled(int ranks, uint64_t seed)
{
    struct stream_plan plan = { .programs = 1, .spoil = true };
    struct exam *exam = exam_new("spoiled", ranks);
    int log = dup(STDERR_FILENO), nothing = open("/dev/null", O_WRONLY);
    exam->seed = seed;
    exam->given = &plan;
    dup2(nothing, STDERR_FILENO);
    exam_run(exam, stream_body);
    dup2(log, STDERR_FILENO);
    close(log);
    close(nothing);
    int status = exam->status;
    exam_free(exam);
    return status;
}

Test(stream_programs, a_missing_event_is_found)
{
    static struct program program;
    struct exam *exam = exam_new("seed", 1);
    uint64_t seed = exam->seed;
    int spoiled = 0, found = 0;
    setenv("DEVICE", "sim", 1);
    setenv("DIST_CHECK", "1", 1);
    for (; spoiled < SPOILED; seed++) {
        int ranks = 2 + (int)(seed % 3);
        program_draw(&program, seed, ranks);
        if (!program_spoil(&program))
            continue;
        spoiled++;
        int status = run_spoiled(ranks, seed);
        found += status == DIST_ERR_BUFFER;
        cr_expect(status == DIST_ERR_BUFFER, "program %llu of %d ranks ended with %d",
                  (unsigned long long)seed, ranks, status);
    }
    cr_log_info("%d of %d missing events were found", found, spoiled);
    exam_free(exam);
}
