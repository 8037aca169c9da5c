/* test_mpi_ends.c: what is left, and told, where a job over MPICH ends while MPI starts. */
#define _GNU_SOURCE
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

TestSuite(mpi_ends, .timeout = 60);

/* The first rank has made MPICH's file, and waits for one that ends. */
Test(mpi_ends, nothing_is_left_of_its_start)
{
    struct started job;
    glob_t left;
    if (access("build/plugins/dist-mpich.so", R_OK) != 0)
        cr_skip_test("BACKEND=mpi over MPICH: install mpich libmpich-dev");
    STARTED(&job, SETTINGS("BACKEND=mpi"), "doomed", "early", "3", "400000");
    cr_expect_eq(job.status, DIST_ERR_STATE);
    cr_expect(strstr(job.stderr_text, "rank 3 ended without") && !strstr(job.stderr_text, "Abort"), "%s",
              job.stderr_text);
    cr_expect_eq(glob("/dev/shm/mpich_shar_tmp*", 0, NULL, &left), GLOB_NOMATCH);
    globfree(&left);
}
