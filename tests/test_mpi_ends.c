/* test_mpi_ends.c: what is left, and told, where a rank of a job over MPI ends while MPI starts, or errs while the others leave. */
#define _GNU_SOURCE
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

TestSuite(mpi_ends, .timeout = 60);

/* The first rank has made MPICH's file, and waits for one that ends. */
Test(mpi_ends, nothing_is_left_of_its_start)
{
    struct started job;
    glob_t left;
    if (!mpi_is_here(&mpich))
        cr_skip_test("BACKEND=mpi over MPICH");
    STARTED(&job, SETTINGS("BACKEND=mpi"), "doomed", "early", "3", "400000");
    cr_expect_eq(job.status, DIST_ERR_STATE);
    cr_expect(strstr(job.stderr_text, "rank 3 ended without") && !strstr(job.stderr_text, "Abort"), "%s",
              job.stderr_text);
    cr_expect_eq(glob("/dev/shm/mpich_shar_tmp*", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
}

/* As UCX, under MPICH, makes one. It is taken away once nobody has it open. */
Test(mpi_ends, what_was_left_is_taken_away_and_no_more)
{
    static const char *const paths[] = { "/dev/shm/ucx_shm_posix_left", "/dev/shm/ucx_shm_posix_used" };
    struct started job;
    int files[2];
    if (!mpi_is_here(&mpich))
        cr_skip_test("BACKEND=mpi over MPICH");
    for (int i = 0; i < 2; i++)
        cr_assert((files[i] = open(paths[i], O_CREAT | O_RDWR, 0600)) >= 0);
    close(files[0]);
    STARTED(&job, SETTINGS("BACKEND=mpi"), "doomed", "early", "3", "0");
    cr_expect_neq(job.status, 0);
    cr_expect_neq(access(paths[0], F_OK), 0);
    cr_expect_eq(access(paths[1], F_OK), 0);
    close(files[1]);
    unlink(paths[1]);
}

/* Its own mpirun takes a rank that ends well for one that is done, and MPI waits for it inside. */
Test(mpi_ends, a_rank_that_never_joins_is_told_under_mpirun)
{
    struct started job;
    if (!mpi_is_here(&mpich))
        cr_skip_test("BACKEND=mpi over MPICH");
    started_by_mpirun(&job, &mpich, 4, SETTINGS("BACKEND=mpi"), "build/tests/programs/doomed early 3 200000",
                      30);
    cr_expect(strstr(job.stderr_text, "rank 3 has ended"), "%s", job.stderr_text);
    cr_expect_neq(job.status, 0);
}

/* Else the first that has left would be the failure, of which mpirun ends the one that tells: nothing would be said, and MPICH's would end with 0. */
static void a_mistake_while_others_leave(const struct mpi *mpi)
{
    struct started job;
    if (!mpi_is_here(mpi))
        cr_skip_test("BACKEND=mpi over %s", mpi->name);
    started_by_mpirun(&job, mpi, 3, SETTINGS("BACKEND=mpi"), "build/tests/programs/doomed mistake 1 300000",
                      30);
    cr_expect(strstr(job.stderr_text, "src is -2"), "%s", job.stderr_text);
    cr_expect_neq(job.status, 0);
}

Test(mpi_ends, a_mistake_while_others_leave_under_open_mpi)
{
    a_mistake_while_others_leave(&open_mpi);
}

Test(mpi_ends, a_mistake_while_others_leave_under_mpich)
{
    a_mistake_while_others_leave(&mpich);
}
