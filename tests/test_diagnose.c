/*
 * test_diagnose.c: is each kind of mistake told as what it is, on the line where it was made?
 *
 * The mistakes are in tests/programs/faulty.c, where a mark stands on each line that a report must name.
 */
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct mistake mistakes[] = {
    { "cross", DIST_ERR_DEADLOCK, "deadlock: ", { "cross" }, "ranks 0 and 1 wait for each other", NULL },
    { "ring", DIST_ERR_DEADLOCK, "deadlock: ", { "ring" }, "let odd ranks receive first", NULL },
    { "tag", DIST_ERR_MISMATCH, "mismatch: ", { "tag", "tag-send" }, "give both calls the same tag", NULL },
    { "left", DIST_ERR_PEER_LOST, "peer left: ", { "left" }, "which has left the job", NULL },
    { "order", DIST_ERR_MISMATCH, "rank ", { "order", "order-other" }, "make the two calls agree", NULL },
    { "size", DIST_ERR_MISMATCH, "rank ", { NULL }, "make the two calls agree", NULL },
    { "argument", DIST_ERR_ARGUMENT, "rank 0: dist_send", { "argument" }, "dst is 99", NULL },
    { "state", DIST_ERR_STATE, "rank 0: dist_wait", { "state" }, "waited for already", NULL },
    { "killed", 3, "", { NULL }, "status 3", NULL },
    { "set",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "set", "post-send" },
      "by tensor_set",
      "DIST_CHECK=1" },
    { "write",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "write", "post-send" },
      "written at",
      "DIST_CHECK=1" },
    { "memset",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "memset", "post-send" },
      "dist_wait",
      "DIST_CHECK=1" },
    { "read",
      DIST_ERR_BUFFER,
      "buffer: rank 0 reads",
      { "read", "post-recv" },
      "dist_irecv from 1",
      "DIST_CHECK=1" },
    { "item", DIST_ERR_BUFFER, "buffer: rank 0 reads", { "item", "post-recv" }, "missing", "DIST_CHECK=1" },
    { "free",
      DIST_ERR_BUFFER,
      "buffer: rank 0 frees",
      { "free", "post-recv" },
      "wait first",
      "DIST_CHECK=1" },
    { "twice",
      DIST_ERR_BUFFER,
      "buffer: rank 0 receives",
      { "twice", "post-recv" },
      "already",
      "DIST_CHECK=1" },
    { "resend",
      DIST_ERR_BUFFER,
      "buffer: rank 0 sends",
      { "resend", "post-recv" },
      "being received",
      "DIST_CHECK=1" },
    { "reduce",
      DIST_ERR_BUFFER,
      "buffer: rank 0 writes",
      { "reduce", "post-reduce" },
      "started by",
      "DIST_CHECK=1" },
    { "unwaited", 0, "note: rank 0", { "unwaited" }, "never waited for  dist_irecv from 1", NULL },
    { "unreceived", 0, "note: rank 0", { "unreceived" }, "never received", "DIST_BUFFERING=eager:64" },
    { "unfreed", 0, "note: rank 1", { "unfreed", "unfreed-more" }, "tensor of 2 x 3 F64", "DIST_CHECK=1" },
    { "group", 0, "note: rank ", { "group" }, "group of 2 ranks", "DIST_CHECK=1" },
    { "cross", 0, "warning: ", { "cross" }, "small enough to be buffered", "DIST_BUFFERING=eager:64" },
    { "ring", 0, "warning: ", { "ring" }, "small enough to be buffered", "DIST_BUFFERING=eager:64" },
};

/* Of these nobody may say anything. */
static const struct mistake correct[] = {
    { "none", 0, NULL, { NULL }, NULL, "DIST_CHECK=1" },
    { "neighbours", 0, NULL, { NULL }, NULL, "DIST_CHECK=1" },
    { "none", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" },
    { "busy", 0, NULL, { NULL }, NULL, NULL },
};

Test(diagnose, each_mistake_is_told_as_what_it_is, .timeout = 120)
{
    mistakes_make("faulty", NULL, mistakes, sizeof mistakes / sizeof *mistakes);
}

Test(diagnose, what_is_correct_is_left_alone, .timeout = 60)
{
    mistakes_make("faulty", NULL, correct, sizeof correct / sizeof *correct);
}

Test(diagnose, a_handler_lets_the_program_go_on, .timeout = 30)
{
    struct started started;
    char said[64];
    snprintf(said, sizeof said, "DIST_ERR_BUFFER at line %d", mistakes_line("faulty", "handled"));
    STARTED(&started, SETTINGS("DIST_CHECK=1"), "faulty", "handled");
    cr_assert(started.status == 0 && strstr(started.stderr_text, said), "%d: %s", started.status,
              started.stderr_text);
}

Test(diagnose, a_check_that_makes_no_sense, .timeout = 30)
{
    struct started started;
    STARTED(&started, SETTINGS("DIST_CHECK=maybe"), "faulty", "none");
    cr_assert(started.status == DIST_ERR_ENVIRONMENT, "%d: %s", started.status, started.stderr_text);
}

/* The goal is 50 ms; the machine may be busy with other tests. */
static double time_to_name(const char *how, const char *ranks)
{
    struct started started;
    STARTED(&started, SETTINGS("TMPDIR=/nowhere"), "faulty", how, ranks);
    const char *told = strstr(started.stderr_text, "named after ");
    cr_assert(started.status == DIST_ERR_DEADLOCK && told, "%d: %s", started.status, started.stderr_text);
    return told ? atof(told + strlen("named after ")) : 1e9;
}

Test(diagnose, a_deadlock_is_named_at_once, .timeout = 60)
{
    double four = time_to_name("timed", "4"), many = time_to_name("timed", "64");
    cr_log_info("named after %.1f ms with 4 ranks, %.1f ms with 64", four, many);
    cr_assert(four < 1000 && many < 2000, "named after %.1f ms with 4 ranks, %.1f ms with 64", four, many);
}

/* A child of a rank, which is none. */
Test(diagnose, also_while_somebody_prints_without_end, .timeout = 60)
{
    double noisy = time_to_name("noise", "2");
    cr_assert(noisy < 1000, "named after %.1f ms", noisy);
}
