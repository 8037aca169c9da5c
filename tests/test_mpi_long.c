/* test_mpi_long.c: MPI counts in int, and is given long blocks in pieces (lib/backends/transport/collect.c): is all of them there? */
#define _GNU_SOURCE
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

TestSuite(mpi_long, .timeout = 120);

/* All by MPI, as it is between machines. */
static void blocks_go_in_pieces(const char *plugin, const char *mpirun)
{
    struct started job;
    char line[200];
    if (access(plugin, R_OK) != 0)
        cr_skip_test("BACKEND=mpi over the MPI of %s", plugin);
    snprintf(line, sizeof line, "exec %s -n 2 build/tests/programs/long_blocks", mpirun);
    started_begin(&job, SETTINGS("BACKEND=mpi", "DIST_FLAT=1"),
                  (const char *const[]){ "sh", "-c", line, NULL });
    started_end(&job, 100);
    cr_expect(strstr(job.stdout_text, "looked at all"), "%s", job.stdout_text);
    cr_expect_eq(job.status, 0, "exit status %d: %s", job.status, job.stderr_text);
}

Test(mpi_long, blocks_go_in_pieces_under_open_mpi)
{
    blocks_go_in_pieces("build/plugins/dist-openmpi.so",
                        "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none");
}

Test(mpi_long, blocks_go_in_pieces_under_mpich)
{
    blocks_go_in_pieces("build/plugins/dist-mpich.so", "mpirun.mpich");
}
