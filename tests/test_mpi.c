/*
 * test_mpi.c: BACKEND=mpi over each MPI that is here: does it do what dist.h promises, and are its reports those of shared memory?
 *
 * Three ways to start: ours, for MPICH (backends/mpi/pmi.c), and both mpiruns. Few ranks: MPICH is slow where they outnumber the cores.
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

TestSuite(mpi, .timeout = 600);

/* ---- started by us, over MPICH ------------------------------------------------------------------------ */

static void conform(const char *name, void (*part)(struct exam *, int, int), int size)
{
    struct conform given = { .sparse = false };
    struct exam *exam = exam_new(name, size);
    cr_assert(conform_new(&given, size, exam->seed));
    given.sparse = given.any_order = true;
    exam->backend = "mpi";
    exam->given = &given;
    cr_assert(exam_run(exam, part), "%s", exam_words(exam));
    conform_free(&given);
    exam_free(exam);
}

Test(mpi, keeps_the_promises_where_we_start_the_ranks)
{
    if (!mpi_is_here(&mpich))
        return;
    for (int all = 0; all <= 1; all++) {
        setenv("DIST_FLAT", all ? "1" : "0", 1); /* by the machine's memory, or all by MPI */
        conform("collectives", conform_world, 3);
        if (!all)
            conform("groups", conform_groups, hurry() ? 3 : 6);
        conform("messages", conform_p2p, all ? 2 : hurry() ? 3 : 8);
        if (hurry() && all)
            break;
        conform("order", conform_order, 2);
        conform("progress", conform_progress, 2);
    }
    conform("messages", conform_p2p, 1);
}

/* Two ranks on each of two launchers, which take each other for other hosts. */
Test(mpi, keeps_them_over_two_nodes)
{
    static const char *const parts[] = { "collectives", "messages", "order" };
    for (int i = hurry() ? 2 : 0; mpi_is_here(&mpich) && i < 3; i++)
        conform_over_nodes("mpi", parts[i], 2, 4);
}

Test(mpi, keeps_them_with_eager_buffers_and_on_simulated_gpus)
{
    if (!mpi_is_here(&mpich))
        return;
    setenv("DIST_BUFFERING", "eager:4096", 1);
    conform("eager messages", conform_p2p, 3);
    conform("eager order", conform_order, 2);
    conform("eager progress", conform_progress, 2);
    unsetenv("DIST_BUFFERING");
    setenv("DEVICE", "sim", 1);
    conform("messages on GPUs", conform_p2p, 2);
    conform("order on GPUs", conform_order, 2);
}

/* ---- under mpirun ------------------------------------------------------------------------------------- */

static void run_under(struct started *job, const struct mpi *mpi, int ranks, const char *command)
{
    char seed[40];
    snprintf(seed, sizeof seed, "DIST_TEST_SEED=%d", (int)getpid());
    started_by_mpirun(job, mpi, ranks, SETTINGS("BACKEND=mpi", seed, "DIST_TRACE="), command, 120);
}

static void conform_under(const struct mpi *mpi, const char *part, int ranks)
{
    static const char empty[256];
    struct started job;
    char board[] = "/tmp/exam_board_XXXXXX", line[200];
    int fd = mkstemp(board);
    cr_assert(fd >= 0 && write(fd, empty, sizeof empty) == (ssize_t)sizeof empty);
    close(fd);
    setenv("EXAM_BOARD", board, 1);
    snprintf(line, sizeof line, "build/tests/transport/conform_mpi %s", part);
    run_under(&job, mpi, ranks, line);
    unlink(board);
    snprintf(line, sizeof line, "%s: %d ranks\n", part, ranks);
    cr_assert(job.status == 0 && strstr(job.stdout_text, line), "%s with %s -n %d: exit status %d\n%s%s",
              part, mpi->name, ranks, job.status, job.stdout_text, job.stderr_text);
}

static void conform_all(const struct mpi *mpi)
{
    if (!mpi_is_here(mpi))
        return;
    conform_under(mpi, "collectives", 2);
    setenv("DIST_FLAT", "1", 1);
    conform_under(mpi, "collectives", hurry() ? 2 : 3);
    if (!hurry())
        conform_under(mpi, "messages", 2);
    setenv("DIST_FLAT", "0", 1);
    conform_under(mpi, "groups", hurry() ? 3 : 4);
    conform_under(mpi, "messages", 3);
    conform_under(mpi, "order", hurry() ? 2 : 5);
    conform_under(mpi, "progress", 2);
}

Test(mpi, keeps_them_under_open_mpi)
{
    conform_all(&open_mpi);
}

Test(mpi, keeps_them_under_mpich)
{
    conform_all(&mpich);
}

/* ---- reports: what chapter 06 shows, line for line; mpirun has a word to say as well ------------------------ */

static void expect_lines(const struct started *job, const char *program, int ranks)
{
    char path[200], line[400];
    snprintf(path, sizeof path, "chapters/06_deadlocks/expected/%s.%d.stderr.txt", program, ranks);
    FILE *file = fopen(path, "r");
    cr_assert(file, "there is no %s", path);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "report:", 7) != 0)
            cr_assert(strstr(job->stderr_raw, line), "of %s this is missing: %sit said:\n%s", program, line,
                      job->stderr_raw);
    fclose(file);
}

static void reports(const struct mpi *mpi)
{
    static const struct {
        const char *program;
        int ranks, status;
    } all[] = { { "crossed_sends", 4, DIST_ERR_DEADLOCK },       { "ring_of_sends", 7, DIST_ERR_DEADLOCK },
                { "missing_collective", 2, DIST_ERR_PEER_LOST }, { "wrong_peer", 4, DIST_ERR_MISMATCH },
                { "wrong_tag", 4, DIST_ERR_MISMATCH },           { "it_depends", 2, DIST_ERR_DEADLOCK } };
    for (int i = 0; mpi_is_here(mpi) && i < (int)(sizeof all / sizeof *all); i++) {
        struct started job;
        char command[100];
        snprintf(command, sizeof command, "build/chapters/06_deadlocks/%s", all[i].program);
        run_under(&job, mpi, all[i].ranks, command);
        expect_lines(&job, all[i].program, all[i].ranks);
        /* As soon as one rank has failed, MPICH's mpirun kills those that are still ending, and may tell their signal as its status. */
        bool killed = job.status == SIGKILL && mpi == &mpich;
        cr_expect(job.status == all[i].status || killed, "%s ended with %d", all[i].program, job.status);
    }
}

Test(mpi, reports_of_chapter_06_under_open_mpi)
{
    reports(&open_mpi);
}

Test(mpi, reports_of_chapter_06_under_mpich)
{
    reports(&mpich);
}

/* All of its programs, compared with what they print over shared memory. */
Test(mpi, chapter_06_where_we_start_the_ranks)
{
    struct started job;
    const char *script = "tests/tools/outputs.sh $(find build/chapters/06_deadlocks -type f -perm -100)";
    if (!mpi_is_here(&mpich))
        return;
    started_begin(&job, SETTINGS("BACKEND=mpi", "OUTPUT_MODES=processes", "OUTPUT_SIZES=4"),
                  (const char *const[]){ "sh", "-c", script, NULL });
    started_end(&job, 240);
    cr_assert_eq(job.status, 0, "%s%s", job.stdout_text, job.stderr_text);
}

/* UCX, under an MPI, takes SIGSEGV for itself. */
static void touches(const struct mpi *mpi)
{
    struct started job;
    run_under(&job, mpi, 2, "env DIST_CHECK=1 build/tests/programs/faulty write");
    cr_expect(strstr(job.stderr_text, "buffer: rank 0 writes to a tensor that is being sent"),
              "under %s a touch is not told: %s", mpi->name, job.stderr_text);
    run_under(&job, mpi, 2, "env DIST_CHECK=1 build/tests/programs/faulty neighbours");
    cr_expect(job.status == 0, "under %s a neighbour may not be touched: %d, %s", mpi->name, job.status,
              job.stderr_text);
    run_under(&job, mpi, 2, "env DIST_CHECK=1 build/tests/programs/signals raises");
    cr_expect(job.status == 139 || job.status == SIGSEGV /* MPICH's */,
              "under %s a fault of the program's own does not end it: %d, %s", mpi->name, job.status,
              job.stderr_text);
}

Test(mpi, touches_are_told)
{
    const struct mpi *const both[] = { &open_mpi, &mpich };
    for (int i = 0; i < 2; i++)
        if (mpi_is_here(both[i]))
            touches(both[i]);
}

/* ---- bad input ------------------------------------------------------------------------------------------------ */

static void expect_refused(const struct mpi *mpi, const char *command, const char *words)
{
    struct started job;
    run_under(&job, mpi, 2, command);
    cr_expect(strstr(job.stderr_text, words), "%s: not \"%s\" but:\n%s", command, words, job.stderr_text);
    cr_expect_eq(job.status, DIST_ERR_ENVIRONMENT, "%s ended with %d", command, job.status);
}

/* The launcher of one MPI, and the plug-in of the other: each rank would be alone. */
Test(mpi, two_mpis_mixed_are_refused)
{
    if (mpi_is_here(&mpich))
        expect_refused(&mpich,
                       "sh -c 'export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=$PMI_RANK && unset PMI_FD "
                       "PMI_RANK PMI_SIZE && exec build/chapters/02_send_recv_chain/chain'",
                       mpi_is_here(&open_mpi) ? "MPI says that this is rank 0 of 1" : "of another MPI than");
}

Test(mpi, ranks_that_are_threads_are_refused)
{
    struct started job;
    STARTED(&job, SETTINGS("BACKEND=mpi", "DIST_RANKS=threads"), "build/chapters/02_send_recv_chain/chain");
    bool told = strstr(job.stderr_text, "unset DIST_RANKS");
    cr_expect(told && job.status == DIST_ERR_ENVIRONMENT, "%s", job.stderr_text);
}

Test(mpi, a_send_that_is_wanted_is_over_at_once)
{
    struct started job;
    if (!mpi_is_here(&mpich))
        return;
    STARTED(&job, SETTINGS("BACKEND=mpi", "DIST_FLAT=1"), "build/tests/programs/at_once");
    cr_expect(job.status == 0 && strstr(job.stdout_text, "all as told"), "%s", job.stderr_text);
}
