/*
 * test_gloo.c: BACKEND=gloo: does it do what dist.h promises, and are its reports those of shared memory?
 */
#define _GNU_SOURCE
#include "conform.h"
#include "hurry.h"
#include "nodes_jobs.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

TestSuite(gloo, .timeout = 600);

/* By the machine's memory, or all by Gloo. */
static void flat(bool all)
{
    setenv("DIST_FLAT", all ? "1" : "0", 1);
}

static void conform(const char *name, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    cr_assert(conform_new(&given, size, exam->seed), "no memory for the reference");
    given.sparse = given.any_order = true;
    exam->backend = "gloo";
    exam->given = &given;
    bool passed = exam_run(exam, part);
    cr_assert(passed, "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

Test(gloo, keeps_the_promises_of_collectives)
{
    for (int all = 0; all <= 1; all++) {
        flat(all);
        for (int size = hurry() ? 3 : 1 + all; size <= (hurry() ? 3 : 5); size += 2)
            conform("collectives", conform_world, size);
        if (!hurry() || !all)
            conform("groups", conform_groups, hurry() || all ? 3 : 5);
    }
}

Test(gloo, keeps_those_of_messages)
{
    for (int all = 0; all <= 1; all++) {
        flat(all);
        for (int size = hurry() ? 3 : 1 + all; size <= (hurry() ? 3 : 5); size += 2)
            conform("messages", conform_p2p, size);
        if (hurry() && all)
            break;
        conform("order", conform_order, hurry() ? 3 : 5);
        conform("progress", conform_progress, 2);
    }
}

Test(gloo, keeps_them_with_eager_buffers_and_on_simulated_gpus)
{
    for (int all = 0; all <= !hurry(); all++) {
        flat(all);
        setenv("DIST_BUFFERING", "eager:4096", 1);
        conform("eager messages", conform_p2p, 3);
        conform("eager order", conform_order, 2);
        conform("eager progress", conform_progress, 2);
        unsetenv("DIST_BUFFERING");
    }
    flat(false);
    setenv("DEVICE", "sim", 1);
    conform("messages on GPUs", conform_p2p, 2);
    if (!hurry())
        conform("collectives on GPUs", conform_world, 2);
    conform("order on GPUs", conform_order, 2);
}

/* Two and three ranks on each of two launchers, which take each other for other hosts: what is on one goes through its memory. */
Test(gloo, keeps_them_over_two_nodes)
{
    static const char *const parts[] = { "collectives", "groups", "messages", "order" };
    for (int i = 0; i < (hurry() ? 1 : 4); i++)
        conform_over_nodes("gloo", parts[i], 2, hurry() ? 4 : 5);
}

/* The barrier of dist_init_process_group, and long sums. */
Test(gloo, one_machine_alone_may_hand_everything_to_the_engine)
{
    struct started nodes[2];
    for (int which = 0; which < 2; which++) {
        nodes_port = nodes_new_port();
        for (int i = 0; i < 2; i++)
            nodes_begin_one(&nodes[i], i == which ? "DIST_FLAT=1" : "DIST_FLAT=0",
                            i == 0 ? "-n 4 --nodes 2 --node 0" : "-n 4 --nodes 2 --node 1",
                            "build/tests/programs/rounds 1 2");
        nodes_end_all(nodes, 2);
        for (int i = 0; i < 2; i++)
            cr_expect_eq(nodes[i].status, 0, "DIST_FLAT on node %d: %s", which, nodes[i].stderr_text);
    }
}

/* All programs of chapter 06, with the reports that they give over shared memory. */
Test(gloo, chapter_06_says_the_same)
{
    struct started job;
    started_begin(&job, SETTINGS("BACKEND=gloo", "OUTPUT_MODES=processes", "OUTPUT_SIZES=2 4 7"),
                  (const char *const[]){
                      "sh", "-c",
                      "tests/tools/outputs.sh $(find build/chapters/06_deadlocks -type f -perm -100)",
                      NULL });
    started_end(&job, 240);
    cr_assert_eq(job.status, 0, "%s%s", job.stdout_text, job.stderr_text);
}

/* ---- faults and bad input -------------------------------------------------------------------------------- */

static void expect(const char *settings, const char *command, int status, const char *words)
{
    struct started job;
    started_begin(&job, SETTINGS("BACKEND=gloo", settings, "WORLD_SIZE=3"),
                  (const char *const[]){ "sh", "-c", command, NULL });
    started_end(&job, 60);
    cr_expect(strstr(job.stderr_text, words), "%s: not \"%s\" but:\n%s", command, words, job.stderr_text);
    cr_expect_eq(job.status, status, "%s ended with %d", command, job.status);
}

/* Between machines a receive of long data begins before their message has come. */
Test(gloo, a_short_message_is_not_overtaken_by_a_long_one)
{
    struct started job;
    started_begin(&job, SETTINGS("BACKEND=gloo", "DIST_FLAT=1", "WORLD_SIZE=2"),
                  (const char *const[]){ "build/tests/programs/short_first", NULL });
    started_end(&job, 30);
    cr_expect(strstr(job.stdout_text, "all told"), "%s%s", job.stdout_text, job.stderr_text);
    cr_expect_eq(job.status, 0, "exit status %d: %s", job.status, job.stderr_text);
}

Test(gloo, a_send_that_is_wanted_is_over_at_once)
{
    struct started job;
    started_begin(&job, SETTINGS("BACKEND=gloo", "DIST_FLAT=1"),
                  (const char *const[]){ "build/tests/programs/at_once", NULL });
    started_end(&job, 60);
    cr_expect(strstr(job.stdout_text, "all as told"), "%s%s", job.stdout_text, job.stderr_text);
    cr_expect_eq(job.status, 0, "exit status %d: %s", job.status, job.stderr_text);
}

Test(gloo, a_dead_rank_is_a_lost_peer)
{
    expect("DIST_CHECK=0", "build/tests/programs/doomed kill 1 200000", 128 + SIGKILL,
           "rank 1 was killed by signal 9 (SIGKILL)");
}

/* The others are in the middle of Gloo's start, where they wait for it. */
Test(gloo, a_rank_that_never_joins_is_told)
{
    expect("DIST_CHECK=0", "build/tests/programs/doomed early 2 200000", DIST_ERR_STATE,
           "Ranks 0 and 1 were stopped in dist_init_process_group (doomed.c");
}

/* torchrun's and srun's ranks of one machine meet; of several they are told what to do. */
static void launched(const char *rank, const char *place, int status, const char *words)
{
    static struct started job;
    char line[700];
    snprintf(
        line, sizeof line,
        "for r in 0 1 2; do env %s=$r %s build/chapters/02_send_recv_chain/chain & pids=\"$pids $!\"; done; "
        "for p in $pids; do wait $p || exit; done",
        rank, place);
    started_begin(&job, SETTINGS("BACKEND=gloo", "DIST_INIT_TIMEOUT=60"),
                  (const char *const[]){ "sh", "-c", line, NULL });
    started_end(&job, 120);
    cr_expect_eq(job.status, status, "%s: %d", place, job.status);
    cr_expect(strstr(status ? job.stderr_text : job.stdout_text, words), "%s: not \"%s\" but:\n%s%s", place,
              words, job.stdout_text, job.stderr_text);
}

Test(gloo, other_launchers_start_it_on_one_machine)
{
    char torchrun[200], slurm[200];
    for (int local = 3; local >= 2; local--) {
        int status = local == 3 ? 0 : DIST_ERR_ENVIRONMENT;
        const char *right = "rank 2 holds 62\n";
        snprintf(
            torchrun, sizeof torchrun,
            "WORLD_SIZE=3 LOCAL_WORLD_SIZE=%d LOCAL_RANK=$((r %% 2)) MASTER_ADDR=127.0.0.1 MASTER_PORT=29500 "
            "TORCHELASTIC_RUN_ID=%d.%d",
            local, (int)getpid(), local);
        launched("RANK", torchrun, status, local == 3 ? right : "DIST_SECRET is not set");
        snprintf(slurm, sizeof slurm,
                 "SLURM_JOB_ID=%d SLURM_STEP_ID=%d SLURM_STEP_NUM_TASKS=3 SLURM_STEP_TASKS_PER_NODE=%d,1",
                 (int)getpid(), local, local);
        launched("SLURM_PROCID", slurm, status, local == 3 ? right : "MASTER_ADDR is not set");
    }
}

Test(gloo, ranks_that_are_threads_are_refused)
{
    expect("DIST_RANKS=threads", "build/chapters/02_send_recv_chain/chain", DIST_ERR_ENVIRONMENT,
           "unset DIST_RANKS");
}

/* Of two places where the plug-in may be, the first in which there is one is told of, and why that does not open. */
Test(gloo, a_plugin_that_is_none_is_told)
{
    static const char command[] =
        "f=$(mktemp -d); cp build/chapters/02_send_recv_chain/chain $f; echo no plug-in >$f/dist-gloo.so; "
        "$f/chain; s=$?; rm -r $f; exit $s";
    expect("DIST_CHECK=0", command, DIST_ERR_ENVIRONMENT, "part for Gloo is not there");
    expect("DIST_CHECK=0", command, DIST_ERR_ENVIRONMENT, "short");
}
