/*
 * test_differ.c: members of a group that call different collectives, or one of them too late, hear the same of it, whichever backend carries
 * it: one that does all collectives alike, and one that leaves some to algorithms/.
 */
#include "nodes_jobs.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(differ, .timeout = 300);

static void differ(struct started *job, const char *const *settings, const char *words)
{
    char line[200];
    snprintf(line, sizeof line, "build/tests/programs/differ %s | LC_ALL=C sort", words);
    STARTED(job, settings, "sh", "-c", line);
    cr_assert_eq(job->status, 0, "%s: %d, %s", words, job->status, job->stderr_text);
}

static bool is_here(const char *setting)
{
    return strstr(setting, "gloo") ? nodes_have_gloo() : !strstr(setting, "mpi") || mpi_is_here(&mpich);
}

/* What it says over shared memory, all others say. */
static void differ_everywhere(const char *words, const char *told)
{
    static struct started shm, job;
    differ(&shm, SETTINGS("BACKEND=shm", "DIST_RANKS=processes"), words);
    int lines = 0;
    for (const char *at = shm.stdout_text; (at = strstr(at, told)) != NULL; at++)
        lines++;
    cr_expect_eq(lines, 4, "%s: \"%s\" is not what each rank hears: %s", words, told, shm.stdout_text);
    const char *const *const others[] = {
        SETTINGS("BACKEND=shm", "DIST_RANKS=threads"), SETTINGS("BACKEND=cuda", "DEVICE=sim"),
        SETTINGS("BACKEND=gloo", "DIST_FLAT=0"),       SETTINGS("BACKEND=gloo", "DIST_FLAT=1"),
        SETTINGS("BACKEND=mpi", "DIST_FLAT=0"),        SETTINGS("BACKEND=mpi", "DIST_FLAT=1")
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!is_here(others[i][0]) || (strstr(words, "places") && strstr(others[i][0], "cuda")))
            continue;
        differ(&job, others[i], words);
        cr_expect_str_eq(job.stdout_text, shm.stdout_text, "%s, %s %s", words, others[i][0], others[i][1]);
        cr_expect_str_eq(job.stderr_text, "", "%s, %s %s", words, others[i][0], others[i][1]);
    }
}

Test(differ, a_barrier_that_gives_up_and_one_that_does_not)
{
    differ_everywhere("barrier monitored_barrier", "rank 3 calls dist_monitored_barrier");
    differ_everywhere("monitored_barrier all_reduce", "rank 3 calls dist_all_reduce");
}

Test(differ, an_all_to_all_and_something_else)
{
    differ_everywhere("all_to_all all_reduce", "rank 3 calls dist_all_reduce");
    differ_everywhere("broadcast splits", "rank 3 calls dist_all_to_all");
    differ_everywhere("splits all_to_all", "gives splits");
}

/* All have one answer, also who came too late. */
Test(differ, a_barrier_that_gives_up_on_one_who_comes_late)
{
    differ_everywhere("monitored_barrier monitored_barrier last", ": rank 3 did not come within 0.2 s");
    differ_everywhere("monitored_barrier monitored_barrier first", ": rank 0 did not come within 0.2 s");
}

/* The backends that bring a tensor of a GPU to the host first. */
Test(differ, tensors_on_the_host_and_on_a_gpu_are_no_mistake)
{
    differ_everywhere("places places", "the sum is 6");
}

/* The first member, which hears who has come, leaves: who still waits is told why it waits in vain. */
Test(differ, a_barrier_that_somebody_leaves_without)
{
    static struct started job;
    const char *const backends[] = { "BACKEND=shm", "BACKEND=gloo", "BACKEND=mpi" };
    for (int i = 0; i < 3; i++) {
        if (!is_here(backends[i]))
            continue;
        differ(&job, SETTINGS(backends[i]), "barrier nothing first");
        for (int rank = 1; rank <= 2; rank++) {
            char told[100];
            snprintf(told, sizeof told, "[%d] 43 rank %d: dist_barrier", rank, rank);
            const char *line = strstr(job.stdout_text, told);
            cr_expect(line && strstr(line, "which has left the job"), "%s: %s", backends[i], job.stdout_text);
        }
    }
}
