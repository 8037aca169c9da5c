/* test_mpi_long.c: MPI counts in int, and is given long blocks in pieces (lib/backends/transport/collect.c): is all of them there? */
#define _GNU_SOURCE
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(mpi_long, .timeout = 120);

/* All by MPI, as it is between machines. */
static void blocks_go_in_pieces(const struct mpi *mpi)
{
    struct started job;
    if (!mpi_is_here(mpi))
        cr_skip_test("BACKEND=mpi over %s", mpi->name);
    started_by_mpirun(&job, mpi, 2, SETTINGS("BACKEND=mpi", "DIST_FLAT=1"),
                      "build/tests/programs/long_blocks", 100);
    cr_expect(strstr(job.stdout_text, "looked at all"), "%s", job.stdout_text);
    cr_expect_eq(job.status, 0, "exit status %d: %s", job.status, job.stderr_text);
}

Test(mpi_long, blocks_go_in_pieces_under_open_mpi)
{
    blocks_go_in_pieces(&open_mpi);
}

Test(mpi_long, blocks_go_in_pieces_under_mpich)
{
    blocks_go_in_pieces(&mpich);
}
