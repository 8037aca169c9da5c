/* test_short.c: where a thread or memory is missing for a moment, one call says so with a number, and the job goes on. */
#include "dist.h"
#include "started.h"

#include <criterion/criterion.h>

TestSuite(short_of, .timeout = 120);

static void expect_silence(const char *what, const char *mode, const char *setting)
{
    struct started job;
    STARTED(&job, SETTINGS(mode, setting), "short", what);
    cr_expect(job.status == 0 && job.stdout_text[0] == '\0', "%s, %s: status %d: %s%s", what, mode,
              job.status, job.stdout_text, job.stderr_text);
}

Test(short_of, threads)
{
    expect_silence("threads", "DIST_RANKS=processes", NULL);
    expect_silence("threads", "DIST_RANKS=threads", NULL);
}

Test(short_of, memory_for_copies)
{
    expect_silence("buffers", "DIST_RANKS=processes", "DIST_BUFFERING=eager:4096");
    expect_silence("buffers", "DIST_RANKS=threads", "DIST_BUFFERING=eager:4096");
}

Test(short_of, memory_for_groups)
{
    expect_silence("groups", "DIST_RANKS=processes", NULL);
}

/* Told at once: the peers wait for it, the rank for them, and nobody may take that for a deadlock. */
Test(short_of, a_thread_for_a_stream)
{
    struct started job;
    STARTED(&job, SETTINGS("DEVICE=sim"), "short", "stream");
    cr_expect(job.status == DIST_ERR_SYSTEM &&
                  strncmp(job.stderr_text, "[1] rank 1: dist_send (short.c:", 31) == 0 &&
                  !strstr(job.stderr_text, "deadlock"),
              "status %d: %s%s", job.status, job.stdout_text, job.stderr_text);
}
