/*
 * test_several.c: several threads of a rank call at once; and very many operations are open at once. The programs
 * (tests/programs/several.c, many.c) look at their data themselves.
 */
#define _GNU_SOURCE
#include "hurry.h"
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 60

TestSuite(several, .timeout = 200);

static const char *const modes[] = { "DIST_RANKS=processes", "DIST_RANKS=threads" };

/* The program's exit status, and what it says, if it shall say something. */
static void expect(const char *program, const char *const *settings, const char *what, const char *number,
                   int status, const char *says)
{
    static struct started started;
    const char *words[] = { program, what, number, NULL };
    started_begin(&started, settings, words);
    started_end(&started, SECONDS);
    cr_expect(started.status == status, "%s %s %s with %s: status %d, not %d: %s", program, what, number,
              settings[0], started.status, status, started.stderr_text);
    cr_expect(!says || strstr(started.stderr_text, says), "%s %s does not say \"%s\" but: %s", program, what,
              says, started.stderr_text);
}

static void in_all_modes(const char *what, int status, const char *says)
{
    for (int i = 0; i < 2; i++) {
        expect("several", SETTINGS(modes[i], "DIST_BUFFERING=rendezvous"), what, "3", status, says);
        expect("several", SETTINGS(modes[i], "DIST_BUFFERING=eager:4096"), what, "8", status, says);
    }
}

Test(several, messages)
{
    in_all_modes("talk", 0, NULL);
}

Test(several, collectives)
{
    in_all_modes("meet", 0, NULL);
}

Test(several, both)
{
    in_all_modes("both", 0, NULL);
    expect("several", SETTINGS("DIST_TRACE=/dev/null"), "both", "4", 0, NULL);
}

Test(several, a_thread_that_sends_late_is_no_deadlock)
{
    in_all_modes("late", 0, NULL);
}

Test(several, a_receive_goes_on_while_another_thread_sleeps)
{
    for (int i = 0; i < 2; i++)
        expect("several", SETTINGS(modes[i]), "beside", "2", 0, NULL);
}

/* Threads with the names of an MPI's or a GPU's driver's, which never call: are they the program's own? */
Test(several, a_thread_with_the_name_of_an_engines)
{
    static const char *const numbers[] = { "0", "1", "2", "3" };
    for (int i = 0; i < 4; i++)
        expect("engines", SETTINGS(modes[0]), "late", numbers[i], 0, NULL);
    for (int i = 0; i < 2; i++)
        expect("engines", SETTINGS(modes[i]), "opened", "", 45, "deadlock");
}

Test(several, all_threads_wait)
{
    in_all_modes("stuck", 45, "deadlock");
    expect("several", SETTINGS(modes[1]), "stuck", "40", 45, "deadlock");
    expect("several", SETTINGS(modes[0], "DIST_ALGORITHM=ring"), "sums", "1", 45, "deadlock");
}

Test(several, who_waits_for_one_work_in_two_threads_is_told)
{
    in_all_modes("waits", 41, "the work was waited for already");
    expect("several", SETTINGS(modes[0], "DIST_CHECK=1"), "waits", "2", 41,
           "the work was waited for already");
}

Test(several, a_thread_of_no_rank)
{
    expect("several", SETTINGS("DIST_RANKS=threads"), "rename", "2", 41, "this thread belongs to no rank");
    expect("several", SETTINGS("DIST_RANKS=processes"), "rename", "2", 0, NULL);
}

/* Then the first thread takes locks from the start. */
Test(several, without_membarrier)
{
    static struct started started;
    const char *words[] = { "several", "both", "4", "refused", NULL };
    for (int i = 0; i < 2; i++) {
        started_begin(&started, SETTINGS(modes[i]), words);
        started_end(&started, SECONDS);
        cr_expect(started.status == 0, "status %d: %s", started.status, started.stderr_text);
    }
}

/* ---- very many ----------------------------------------------------------------------- */

/* The seconds that it takes are the machine's. That they grow as the number does is shown by counts, below; that nothing else on
 * the way is quadratic, by a limit that ten times as many would miss by far if it were. */
Test(several, very_many_open)
{
    static const char *const kinds[] = { "same",        "tags",  "reverse", "any",
                                         "collectives", "kinds", "groups",  "batch" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        expect("many", SETTINGS("DIST_RANKS=processes"), kinds[i], hurry() ? "5000" : "100000", 0, NULL);
}

/* The processor's seconds, which other programs on the machine do not change much. */
static double seconds_of(const char *kind, int count, const char *const *settings)
{
    static struct started started;
    char number[20];
    const char *words[] = { "many", kind, number, NULL };
    snprintf(number, sizeof number, "%d", count);
    started_begin(&started, settings, words);
    started_end(&started, SECONDS);
    const char *at = strstr(started.stdout_text, " s, ");
    cr_assert(started.status == 0 && at, "many %s %s: status %d: %s", kind, number, started.status,
              started.stderr_text);
    return atof(at + 4);
}

/* Sixteen times as many take 16 times as long, by a square 256 times. The limit lies between, four times from either: which threads
 * share a processor makes a run up to three times as long. The least of some tries: what disturbs makes it only longer. */
static void is_linear(const char *kind, int count, const char *const *settings, const char *name)
{
    double few = 1e9, many = 1e9;
    for (int tries = 0; tries < 5 && (tries == 0 || many > 64 * few); tries++) {
        double one = seconds_of(kind, count, settings), all = seconds_of(kind, 16 * count, settings);
        few = one < few ? one : few;
        many = all < many ? all : many;
    }
    cr_expect(many <= 64 * few, "%s, %s: %d take %g s of the processor, and %d %g s", name, kind, count, few,
              16 * count, many);
}

Test(several, very_many_take_linear_time)
{
    static const char *const kinds[] = { "alone", "reversed", "reductions" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        int count = hurry() ? 500 : 1500;
        is_linear(kinds[i], 4 * count, SETTINGS("DIST_RANKS=processes"), "processes");
        is_linear(kinds[i], 4 * count, SETTINGS("DIST_RANKS=threads"), "threads");
        is_linear(kinds[i], 2 * count, SETTINGS("DIST_CHECK=1"), "DIST_CHECK=1");
        is_linear(kinds[i], 2 * count, SETTINGS("DIST_TRACE=/dev/null"), "traced");
        is_linear(kinds[i], count, SETTINGS("DEVICE=sim"), "DEVICE=sim");
        is_linear(kinds[i], count, SETTINGS("DEVICE=sim", "DIST_CHECK=1"), "DEVICE=sim DIST_CHECK=1");
        is_linear(kinds[i], count, SETTINGS("DEVICE=sim", "BACKEND=cuda"), "DEVICE=sim BACKEND=cuda");
    }
}
