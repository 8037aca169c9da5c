/*
 * test_leaving.c: ranks leave the job with operations of a group that nobody has waited for. What can come to its end does, and the
 * rest is told as left behind: no crash, no hang, no error; but for two calls that met and do not fit.
 */
#include "started.h"

#include <criterion/criterion.h>
#include <string.h>

TestSuite(leaving, .timeout = 300);

static const char *const modes[][5] = {
    { "DIST_RANKS=processes" },
    { "DIST_RANKS=threads" },
    { "DIST_RANKS=threads", "DEVICE=sim" },
    { "DIST_RANKS=processes", "DEVICE=sim" },
    { "BACKEND=cuda", "DEVICE=host" },
    { "BACKEND=cuda", "DEVICE=sim" },
    { "DIST_ALGORITHM=messages" },
    { "DIST_ALGORITHM=ring", "DIST_RANKS=threads" },
    { "DIST_CHECK=1" },
    { "DIST_TRACE=/dev/null" },
    { "DIST_BUFFERING=eager:64" },
    { "DIST_BUFFERING=eager:64", "BACKEND=cuda", "DEVICE=sim" },
};

static void leave(const char *what, int status, const char *words)
{
    struct started job;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++)
        for (int times = 0; times < 3; times++) {
            STARTED(&job, modes[i], "leaves", what);
            cr_expect(job.status == status && job.stdout_text[0] == '\0', "%s, %s %s: status %d, %s%s", what,
                      modes[i][0], modes[i][1] ? modes[i][1] : "", job.status, job.stdout_text,
                      job.stderr_text);
            cr_expect(!words || strstr(job.stderr_text, words), "%s, %s: it said: %s", what, modes[i][0],
                      job.stderr_text);
            cr_expect(job.seconds < 5, "%s, %s: %.1f s", what, modes[i][0], job.seconds);
        }
}

static void leave_with(const char *what, const char *words)
{
    leave(what, 0, words);
}

Test(leaving, with_collectives_that_all_have_started)
{
    leave_with("all", "never waited for  dist_all_reduce (leaves.c:");
}

Test(leaving, with_collectives_for_which_one_comes_late)
{
    leave_with("late", "never waited for  dist_barrier (leaves.c:");
}

Test(leaving, with_collectives_for_which_one_never_comes)
{
    leave_with("most", "never waited for  dist_broadcast (leaves.c:");
    leave_with("one", "never waited for  dist_broadcast (leaves.c:");
    leave_with("crossed", "never waited for  dist_barrier (leaves.c:");
    leave_with("world", "never waited for  dist_all_reduce (leaves.c:");
}

Test(leaving, with_messages_of_a_group)
{
    leave_with("messages", "never waited for  dist_irecv from anybody (leaves.c:");
    leave_with("untaken", "never received    dist_isend to ");
}

/* That is a mistake, also where nobody waits to hear of it. */
Test(leaving, with_calls_that_do_not_fit)
{
    leave("differ", 42, " elements (leaves.c:");
    leave("differ-message", 42, "dist_irecv (leaves.c:");
}

/* Blocking sends that were buffered: the group is freed while their copies are on their way. */
Test(leaving, with_copies_that_nobody_has_taken)
{
    struct started job;
    static const char *const buffered[][4] = {
        { "DIST_BUFFERING=eager:64", "DIST_RANKS=processes" },
        { "DIST_BUFFERING=eager:64", "DIST_RANKS=threads" },
        { "DIST_BUFFERING=eager:64", "BACKEND=cuda", "DEVICE=host" },
        { "DIST_BUFFERING=eager:64", "BACKEND=cuda", "DEVICE=sim" },
    };
    for (size_t i = 0; i < sizeof buffered / sizeof buffered[0]; i++) {
        STARTED(&job, buffered[i], "leaves", "eager");
        cr_expect(job.status == 0, "%s: status %d, %s", buffered[i][1], job.status, job.stderr_text);
        cr_expect(strstr(job.stderr_text, "never received    dist_send to "), "%s", job.stderr_text);
    }
}
