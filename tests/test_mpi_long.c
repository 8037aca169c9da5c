/* test_mpi_long.c: MPI counts in int, and is given long blocks in pieces (lib/backends/transport/collect.c): is all of them there? And
 * between machines the ids of groups come back (groups.c): do their messages keep apart? */
#define _GNU_SOURCE
#include "dist.h"
#include "nodes_jobs.h"

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

Test(mpi_long, ids_of_groups_that_come_back)
{
    struct started nodes[2];
    if (!mpi_is_here(&mpich))
        cr_skip_test("BACKEND=mpi over MPICH");
    nodes_port = nodes_new_port();
    nodes_begin_one(&nodes[0], "BACKEND=mpi", "-n 2 --nodes 2 --node 0", "build/tests/programs/group_again");
    nodes_begin_one(&nodes[1], "BACKEND=mpi", "-n 2 --nodes 2 --node 1", "build/tests/programs/group_again");
    for (int i = 0; i < 2; i++) {
        started_end(&nodes[i], 100);
        cr_expect_eq(nodes[i].status, 0, "node %d ended with %d: %s%s", i, nodes[i].status,
                     nodes[i].stdout_text, nodes[i].stderr_text);
    }
}
