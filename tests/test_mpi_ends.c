/* test_mpi_ends.c: what is left, and told, where a rank of a job over MPICH ends while MPI starts. */
#define _GNU_SOURCE
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

TestSuite(mpi_ends, .timeout = 60);

#define NEEDS_MPICH() \
    do { \
        if (access("build/plugins/dist-mpich.so", R_OK) != 0) \
            cr_skip_test("BACKEND=mpi over MPICH: install mpich libmpich-dev"); \
    } while (0)

/* The first rank has made MPICH's file, and waits for one that ends. */
Test(mpi_ends, nothing_is_left_of_its_start)
{
    struct started job;
    glob_t left;
    NEEDS_MPICH();
    STARTED(&job, SETTINGS("BACKEND=mpi"), "doomed", "early", "3", "400000");
    cr_expect_eq(job.status, DIST_ERR_STATE);
    cr_expect(strstr(job.stderr_text, "rank 3 ended without") && !strstr(job.stderr_text, "Abort"), "%s",
              job.stderr_text);
    cr_expect_eq(glob("/dev/shm/mpich_shar_tmp*", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
}

/* Its own mpirun takes a rank that ends well for one that is done, and MPI waits for it inside. */
Test(mpi_ends, a_rank_that_never_joins_is_told_under_mpirun)
{
    struct started job;
    NEEDS_MPICH();
    started_begin(&job, SETTINGS("BACKEND=mpi"),
                  (const char *const[]){ "sh", "-c",
                                         "exec mpirun.mpich -n 4 build/tests/programs/doomed early 3 200000",
                                         NULL });
    started_end(&job, 30);
    cr_expect(strstr(job.stderr_text, "rank 3 has ended"), "%s", job.stderr_text);
    cr_expect_neq(job.status, 0);
}
