/* test_launch_start.c: whoever starts the ranks, do they find each other; and is a wrong start refused in one sentence? */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define DISTRUN "build/bin/distrun"

TestSuite(launch_start, .timeout = 60);

/* One line on stderr, with these words in it. */
static void expect_refused(const struct started *job, int status, const char *words)
{
    const char *newline = strchr(job->stderr_text, '\n');
    cr_expect_eq(job->status, status, "status %d: %s", job->status, job->stderr_text);
    cr_expect(strstr(job->stderr_text, words), "no \"%s\" in: %s", words, job->stderr_text);
    cr_expect(newline && newline[1] == '\0', "not one line: %s", job->stderr_text);
}

#define STEP "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=8", "SLURM_PROCID=0"

static const struct {
    const char *settings[8];
    const char *words;
} wrong[] = {
    { { "WORLD_SIZE=0" }, "WORLD_SIZE is \"0\"; it must be a whole number from 1 to 1024" },
    { { "WORLD_SIZE=abc" }, "WORLD_SIZE is \"abc\"; it must be" },
    { { "WORLD_SIZE=100000" }, "WORLD_SIZE is \"100000\"; it must be" },
    { { "WORLD_SIZE=" }, "WORLD_SIZE is \"\"; it must be" },
    { { "WORLD_SIZE=-3" }, "WORLD_SIZE is \"-3\"; it must be" },
    { { "WORLD_SIZE=4.0" }, "WORLD_SIZE is \"4.0\"; it must be" },
    { { "WORLD_SIZE=99999999999999999999" }, "it must be a whole number" },
    { { "RANK=1" }, "RANK is \"1\" but WORLD_SIZE is not set" },
    { { "RANK=4", "WORLD_SIZE=4" }, "ranks count from 0 to 3" },
    { { "RANK=x", "WORLD_SIZE=4" }, "RANK is \"x\"; it must be a whole number from 0 to 3" },
    { { "RANK=0", "WORLD_SIZE=4", "LOCAL_RANK=7" }, "LOCAL_RANK is \"7\"" },
    { { "RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=5" }, "LOCAL_WORLD_SIZE is \"5\"; it must be" },
    { { "RANK=3", "WORLD_SIZE=4", "LOCAL_RANK=3", "LOCAL_WORLD_SIZE=2" },
      "LOCAL_RANK is 3, but this machine" },
    { { "RANK=0", "WORLD_SIZE=4", "LOCAL_WORLD_SIZE=2" }, "this machine has only 2 of the 4 ranks" },
    { { "OMPI_COMM_WORLD_RANK=0" }, "OMPI_COMM_WORLD_SIZE is not set" },
    { { "PMI_RANK=9", "PMI_SIZE=2" }, "PMI_RANK is \"9\"" },
    { { "SLURM_STEP_ID=0", "SLURM_STEP_NUM_TASKS=2" }, "SLURM_PROCID is not" },
    { { "SLURM_STEP_ID=0", "SLURM_PTY_PORT=4000", "SLURM_PROCID=0" }, "SLURM_STEP_NUM_TASKS is not" },
    { { STEP, "SLURM_STEP_TASKS_PER_NODE=1,2(x2),3" }, "this machine has only 1 of the 8 ranks" },
    { { STEP, "SLURM_STEP_TASKS_PER_NODE=1,2(x2),3", "SLURM_NODEID=2" }, "only 2 of the 8 ranks, and" },
    { { STEP, "SLURM_STEP_TASKS_PER_NODE=1,2(x2),3", "SLURM_NODEID=3" }, "only 3 of the 8 ranks, and" },
    { { STEP, "SLURM_STEP_TASKS_PER_NODE=1,99,3", "SLURM_NODEID=1" }, "its numbers must be from 1 to 8" },
    { { STEP, "SLURM_STEP_TASKS_PER_NODE=1,7", "PMI_RANK=0", "PMI_SIZE=8" }, "only 1 of the 8 ranks, and" },
    { { STEP, "MPI_LOCALRANKID=0", "PMI_RANK=9", "PMI_SIZE=2" }, "PMI_RANK is \"9\"" },
    { { STEP, "TORCHELASTIC_RUN_ID=x", "RANK=4", "WORLD_SIZE=4" }, "ranks count from 0 to 3" },
    { { "DIST_RANKS=fibres" }, "DIST_RANKS is \"fibres\"; it must be processes or threads" },
    { { "DIST_OUTPUT=loud" }, "DIST_OUTPUT is \"loud\"; it must be live or ordered" },
    { { "DIST_WORLD_FD=77", "RANK=0", "WORLD_SIZE=1" }, "with the distrun that was built with it" },
    { { "DIST_WORLD_FD=0", "RANK=0", "WORLD_SIZE=1" }, "with the distrun that was built with it" },
    { { "RANK=0", "WORLD_SIZE=2", "DIST_INIT_TIMEOUT=soon" }, "DIST_INIT_TIMEOUT is \"soon\"" },
};

Test(launch_start, wrong_environments)
{
    struct started job;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        STARTED(&job, wrong[i].settings, "talk", "lines");
        expect_refused(&job, 46, wrong[i].words);
    }
}

Test(launch_start, an_allocation_without_a_step_is_no_launcher)
{
    struct started job;
    STARTED(&job, SETTINGS("SLURM_JOB_ID=7", "SLURM_PROCID=0", "SLURM_NTASKS=9", "WORLD_SIZE=2"), "talk",
            "lines");
    cr_expect_eq(job.status, 0);
    cr_expect(strstr(job.stdout_text, "[1] rank 1 of 2\n"), "%s", job.stdout_text);
}

Test(launch_start, a_step_that_is_a_shell_is_no_launcher)
{
    struct started job;
    STARTED(&job,
            SETTINGS("SLURM_STEP_ID=0", "SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=1", "SLURM_PTY_PORT=4000",
                     "WORLD_SIZE=2"),
            "talk", "lines");
    cr_expect_eq(job.status, 0);
    cr_expect(strstr(job.stdout_text, "[1] rank 1 of 2\n"), "%s", job.stdout_text);
}

Test(launch_start, alone_is_a_world_of_one)
{
    struct started job;
    STARTED(&job, NULL, "plain");
    cr_expect_str_eq(job.stdout_text, "rank 0 of 1: 1\n");
    cr_expect_eq(job.status, 0);
}

static void expect_all_ranks(const struct started *job, int size, int sum, const char *prefix)
{
    cr_expect_eq(job->status, 0, "status %d: %s", job->status, job->stderr_text);
    for (int rank = 0; rank < size; rank++) {
        char line[128], before[32] = "";
        if (prefix)
            snprintf(before, sizeof before, prefix, rank);
        snprintf(line, sizeof line, "%srank %d of %d: %d\n", before, rank, size, sum);
        cr_expect(strstr(job->stdout_text, line), "no \"%s\" in: %s", line, job->stdout_text);
    }
}

Test(launch_start, distrun)
{
    struct started job;
    char path[600];
    program_path("plain", path, sizeof path);
    STARTED(&job, NULL, DISTRUN, "-n", "4", path);
    expect_all_ranks(&job, 4, 10, "[%d] ");
    STARTED(&job, SETTINGS("WORLD_SIZE=3"), DISTRUN, path, "leave");
    expect_all_ranks(&job, 3, 6, "[%d] ");
    STARTED(&job, NULL, DISTRUN, "-n", "4", path, "kill");
    cr_expect_eq(job.status, 137);
    cr_expect(strstr(job.stderr_text, "rank 3 was killed by signal 9 (SIGKILL)"), "%s", job.stderr_text);
    cr_expect(
        strstr(job.stderr_text, "dist_barrier (plain.c:") || /* or they have not yet seen the end of it: */
            strstr(job.stderr_text, "were stopped in dist_all_reduce (plain.c:"),
        "%s", job.stderr_text);
    STARTED(&job, NULL, DISTRUN, "-n", "2", path, "thread");
    cr_expect(job.status == 45 && strstr(job.stderr_text, "deadlock: ranks 0 and 1"), "%d: %s", job.status,
              job.stderr_text);
    STARTED(&job, NULL, DISTRUN, "-n", "2", "true");
    cr_expect_eq(job.status, 0);
    STARTED(&job, NULL, "env", "-u", "PATH", DISTRUN, "-n", "2", "true"); /* found as execvp finds it */
    cr_expect_eq(job.status, 0, "%s", job.stderr_text);
    STARTED(&job, NULL, DISTRUN, "-n", "2", "no-such-program");
    expect_refused(&job, 127, "no-such-program was not found");
    STARTED(&job, NULL, DISTRUN, "-n", "2", "/etc/passwd");
    expect_refused(&job, 126, "/etc/passwd is not a program that can be run");
    STARTED(&job, NULL, DISTRUN, "-n", "two", path);
    expect_refused(&job, 2, "-n is \"two\"");
    STARTED(&job, NULL, DISTRUN);
    expect_refused(&job, 2, "usage: distrun");
}

/* Nobody would see its end, and the others would wait for it. */
Test(launch_start, a_rank_in_the_background)
{
    struct started job;
    const char *late = "[ $RANK = 1 ] && { (sleep 2; exec \"$0\") & exit 0; }; sleep 4; exec \"$0\"";
    STARTED(&job, NULL, DISTRUN, "-n", "2", "sh", "-c", late, program_path("plain", (char[600]){ "" }, 600));
    cr_expect_eq(job.status, 41, "%d: %s", job.status, job.stderr_text);
    cr_expect(
        strstr(job.stderr_text, "the process that distrun started as rank 1 has ended, and nobody watches"),
        "%s", job.stderr_text);
    cr_expect(strstr(job.stderr_text, "rank 1 ended without dist_init_process_group"), "%s", job.stderr_text);
}

/* Two programs one after another, under one launcher: each job meets anew. */
static void run_under(const char *command)
{
    struct started job;
    char path[600], line[1000];
    snprintf(line, sizeof line, "command -v %.*s >/dev/null || exit 77; exec %s sh -c '%s && %s'",
             (int)strcspn(command, " "), command, command, program_path("plain", path, sizeof path), path);
    STARTED(&job, SETTINGS("OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"), "sh", "-c", line);
    if (job.status == 77) {
        printf("skipped: %s is not installed\n", command);
        return;
    }
    expect_all_ranks(&job, 4, 10, NULL);
}

Test(launch_start, open_mpi)
{
    run_under("mpirun.openmpi --oversubscribe -n 4");
}

Test(launch_start, mpich)
{
    run_under("mpirun.mpich -n 4");
}

/* As torchrun starts ranks: each alone, with its place in the environment. `job` tells jobs apart. */
static void start_like_torchrun(struct started *ranks, int size, int count, const char *end, int job)
{
    static char settings[4][4][48];
    for (int i = 0; i < count; i++) {
        snprintf(settings[i][0], 48, "RANK=%d", i);
        snprintf(settings[i][1], 48, "WORLD_SIZE=%d", size);
        snprintf(settings[i][2], 48, "MASTER_PORT=%d", 20000 + (int)getpid() % 20000 + job);
        snprintf(settings[i][3], 48, "DIST_INIT_TIMEOUT=2");
        started_begin(
            &ranks[i],
            SETTINGS(settings[i][0], settings[i][1], settings[i][2], settings[i][3], "MASTER_ADDR=localhost"),
            (const char *const[]){ "plain", end, NULL });
    }
}

Test(launch_start, like_torchrun)
{
    struct started ranks[3];
    start_like_torchrun(ranks, 3, 3, "leave", 0);
    for (int i = 0; i < 3; i++) {
        char line[64];
        started_end(&ranks[i], 20);
        snprintf(line, sizeof line, "rank %d of 3: 6\n", i);
        cr_expect_str_eq(ranks[i].stdout_text, line, "%s", ranks[i].stderr_text);
        cr_expect_eq(ranks[i].status, 0);
    }
}

/* Nobody watches these ranks, so they have to find out by themselves. */
Test(launch_start, like_torchrun_and_one_dies)
{
    static const char *const ways[] = { "kill", "exit" };
    for (int way = 0; way < 2; way++) {
        struct started ranks[3];
        start_like_torchrun(ranks, 3, 3, ways[way], 1 + way);
        for (int i = 2; i >= 0; i--) {
            started_end(&ranks[i], 20);
            cr_expect(ranks[i].seconds < 5, "rank %d took %.1f s", i, ranks[i].seconds);
        }
        cr_expect_eq(ranks[0].status, 43, "%s", ranks[0].stderr_text);
        cr_expect_eq(ranks[1].status, 43, "%s", ranks[1].stderr_text);
        cr_expect(strstr(ranks[0].stderr_text, "rank 2 ") || strstr(ranks[1].stderr_text, "rank 2 "));
    }
}

Test(launch_start, like_torchrun_and_one_is_missing)
{
    struct started ranks[3];
    start_like_torchrun(ranks, 4, 3, "leave", 3);
    for (int i = 0; i < 3; i++)
        started_end(&ranks[i], 20);
    cr_expect_eq(ranks[0].status, 44);
    cr_expect(strstr(ranks[0].stderr_text, "rank 3 has not come within 2 s"), "%s", ranks[0].stderr_text);
    cr_expect(ranks[1].status != 0 && ranks[2].status != 0);
    cr_expect(ranks[1].seconds < 5 && ranks[2].seconds < 5);
}

Test(launch_start, like_torchrun_with_two_world_sizes)
{
    struct started first[1], second[2];
    start_like_torchrun(first, 4, 1, "leave", 4);
    start_like_torchrun(second, 3, 2, "leave", 4);
    started_end(&first[0], 20);
    started_end(&second[0], 20);
    started_end(&second[1], 20);
    cr_expect_neq(first[0].status, 0);
    cr_expect_neq(second[1].status, 0);
}
