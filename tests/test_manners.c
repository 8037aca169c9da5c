/* test_manners.c: what dist.h says of signals, fork, exit and longjmp; tests/programs/manners.c, signals.c, leaps.c and leaps_checked.c do it. */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };

/* Ranks that do it end with this status, and the report, where there is one, begins like that. */
static void expect(const char *program, const char *what, int from, int to, int status, const char *report)
{
    for (int i = from; i < to; i++) {
        struct started job;
        started_begin(&job, SETTINGS(modes[i]), (const char *const[]){ program, what, NULL });
        started_end(&job, 60);
        cr_expect(job.status == status, "%s, %s: status %d and not %d: %s", what, modes[i], job.status,
                  status, job.stderr_text);
        cr_expect(report ? strncmp(job.stderr_text, report, strlen(report)) == 0 : job.stderr_text[0] == 0,
                  "%s, %s: it said: %s", what, modes[i], job.stderr_text);
        cr_expect(job.seconds < 25, "%s, %s: %g s", what, modes[i], job.seconds);
    }
}

TestSuite(manners, .timeout = 200);

Test(manners, a_handler_may_interrupt_every_call)
{
    expect("signals", "timer", 0, 2, 0, NULL);
    expect("signals", "timer_restart", 0, 2, 0, NULL);
}

Test(manners, a_handler_may_interrupt_every_call_on_a_gpu)
{
    setenv("DEVICE", "sim", 1);
    expect("signals", "timer", 0, 2, 0, NULL);
}

Test(manners, a_handler_may_interrupt_calls_that_are_done_by_messages)
{
    setenv("DIST_ALGORITHM", "messages", 1);
    expect("signals", "timer", 0, 2, 0, NULL);
}

/* (Where ranks are threads, another rank's may take it.) */
Test(manners, no_thread_of_the_library_takes_a_signal)
{
    expect("signals", "keeps_signals", 0, 1, 0, NULL);
    setenv("DIST_ALGORITHM", "messages", 1);
    expect("signals", "keeps_signals", 0, 1, 0, NULL);
    unsetenv("DIST_ALGORITHM");
    setenv("DEVICE", "sim", 1);
    expect("signals", "keeps_signals", 0, 1, 0, NULL);
}

Test(manners, a_fault_that_a_rank_sends_itself_ends_it_also_where_tensors_are_watched)
{
    setenv("DIST_CHECK", "1", 1);
    expect("signals", "raises", 0, 1, 139, "rank 1 was killed by signal 11 (SIGSEGV)");
    expect("signals", "raises_trap", 0, 1, 133, "rank 1 was killed by signal 5 (SIGTRAP)");
    expect("signals", "ignores", 0, 2, 0, NULL);
}

Test(manners, a_rank_may_be_stopped_and_go_on)
{
    expect("signals", "stopped", 0, 1, 0, NULL);
}

Test(manners, a_rank_may_start_programs)
{
    expect("manners", "programs", 0, 2, 0, NULL);
}

Test(manners, exit_inside_a_rank_is_the_status_of_the_job)
{
    expect("manners", "exit", 0, 2, 7, "rank 1 exited with status 7");
    expect("manners", "exit_of_a_thread", 0, 1, 7, "rank 1 exited with status 7");
    expect("manners", "exit_when_done", 0, 1, 0, NULL);
    expect("manners", "abort", 0, 2, 134, "rank 1 was killed by signal 6 (SIGABRT)");
}

Test(manners, pthread_exit_is_the_same_as_returning)
{
    expect("manners", "return", 0, 2, 41, "rank 1 ended without dist_destroy_process_group");
    expect("manners", "pthread_exit", 0, 2, 41, "rank 1 ended without dist_destroy_process_group");
    expect("manners", "pthread_exit_when_done", 0, 2, 0, NULL);
}

Test(manners, a_call_in_an_atexit_handler_hangs_nobody)
{
    expect("manners", "atexit", 0, 2, 45, "deadlock: ");
}

Test(manners, a_handler_may_leave_by_longjmp)
{
    expect("manners", "longjmp", 0, 2, 0, NULL);
    expect("manners", "longjmp_on", 0, 2, 0, NULL);
    setenv("DIST_CHECK", "1", 1);
    expect("leaps_checked", "leaps", 0, 2, 0, NULL);
}

/* Two ranks that wait for each other afterwards: nobody is said to wait in the call that was left. */
static void expect_not_in(const char *what, const char *call)
{
    for (int i = 0; i < 2; i++) {
        struct started job;
        started_begin(&job, SETTINGS(modes[i], "DIST_REPORT=/dev/null"),
                      (const char *const[]){ "leaps", what, NULL });
        started_end(&job, 60);
        cr_expect(job.status == 45 && !strstr(job.stderr_text, call), "%s, %s: status %d: %s", what, modes[i],
                  job.status, job.stderr_text);
    }
}

Test(manners, a_handler_may_leave_a_wait_for_a_gpu_by_longjmp)
{
    setenv("DEVICE", "sim", 1);
    expect_not_in("looks", "tensor_item");
    expect_not_in("any", "dist_wait_any");
    expect("leaps", "collective", 0, 2, 0, NULL);
    expect("leaps", "copies", 0, 2, 0, NULL);
    expect("leaps", "anybody", 0, 2, 0, NULL);
    setenv("DIST_CHECK", "1", 1);
    expect("leaps", "anybody", 0, 2, 0, NULL);
    unsetenv("DIST_CHECK");
    setenv("BACKEND", "cuda", 1);
    expect("leaps", "collective", 1, 2, 0, NULL);
    expect("leaps", "copies", 1, 2, 0, NULL);
    expect("leaps", "anybody", 1, 2, 0, NULL);
    setenv("DIST_ALGORITHM", "ring", 1);
    expect("leaps", "messages", 1, 2, 0, NULL);
}
