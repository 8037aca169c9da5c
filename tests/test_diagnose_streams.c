/* test_diagnose_streams.c: what goes wrong on streams is told with the call that a stream stands in, and where the host waits. */
#define _GNU_SOURCE
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STUCK(name, mark, waits, words) \
    { \
        name, DIST_ERR_DEADLOCK, "deadlock: ", { mark, waits }, words, NULL \
    }

static const struct mistake mistakes[] = {
    STUCK("receive:1", "recv", "waits-for-last", "stands in the stream; the host waits in"),
    STUCK("receive:2", "recv", "waits-for-last", "stands in stream 1; the host waits in"),
    STUCK("receive:4", "recv", "waits-for-last", "stands in stream 3; the host waits in"),
    STUCK("chain:1", "send", "looks", "stands in the stream; the host waits in tensor_item"),
    STUCK("chain:2", "send", "looks", "stands in the stream; the host waits in tensor_item"),
    STUCK("chain:4", "send", "looks", "dist_send to 1, 8 F32"),
    STUCK("collective", "reduce", "recv-of-one", "stands in the stream; the host waits in"),
    { "unreceived",
      DIST_ERR_PEER_LOST,
      "peer left: ",
      { "unreceived" },
      "dist_destroy_process_group (streams.c:",
      NULL },
    { "read", DIST_ERR_BUFFER, "buffer: rank 0 reads", { "read", "made" }, "a GPU's memory", NULL },
    { "write", DIST_ERR_BUFFER, "buffer: rank 0 writes", { "write", "made" }, "a GPU's memory", NULL },
    { "read",
      DIST_ERR_BUFFER,
      "buffer: rank 0 reads",
      { "read" },
      "tensor_to(t, DIST_HOST)",
      "DIST_CHECK=1" },
    { "write", DIST_ERR_BUFFER, "buffer: rank 0 writes", { "write" }, "a GPU's memory", "DIST_CHECK=1" },
    { "in-flight", DIST_ERR_BUFFER, "buffer: rank 0 writes", { "in-flight" }, "a GPU", "DIST_CHECK=1" },
    { "exits", 3, "", { NULL }, "exited with status 3", NULL },
    { "unwaited", 0, "note: rank 0", { "unwaited" }, "never waited for  dist_isend to 1", NULL },
    { "unfreed", 0, "note: rank ", { "stream", "event" }, "never freed       stream", "DIST_CHECK=1" },
    { "unfreed", 0, "note: rank ", { "stream", "event" }, "never freed       event", "DIST_CHECK=1" },
};

static const struct mistake correct[] = {
    { "after", 0, NULL, { NULL }, NULL, NULL },
    { "after", 0, NULL, { NULL }, NULL, "DIST_CHECK=0" },
};

Test(diagnose_streams, each_is_told_as_what_it_is, .timeout = 100)
{
    mistakes_make("streams", "DEVICE=sim", mistakes, sizeof mistakes / sizeof *mistakes);
}

Test(diagnose_streams, what_is_correct_is_left_alone, .timeout = 60)
{
    mistakes_make("streams", "DEVICE=sim", correct, sizeof correct / sizeof *correct);
}

/* The verdict names the call in which the survivor waited for its GPU. */
Test(diagnose_streams, a_killed_rank, .timeout = 60)
{
    struct started started;
    char place[64], tag[40];
    snprintf(tag, sizeof tag, "left-of-streams-%d",
             (int)getpid()); /* another run of this suite is none of ours */
    snprintf(place, sizeof place, "tensor_print (streams.c:%d)", mistakes_line("streams", "waits"));
    STARTED(&started, SETTINGS("DEVICE=sim"), "streams", "killed");
    cr_assert(started.status == 128 + 9 && strstr(started.stderr_text, place), "%d: %s", started.status,
              started.stderr_text);
    STARTED(&started, SETTINGS("DEVICE=sim", "DIST_RANKS=threads"), "streams", "killed", tag);
    cr_assert(started.status == 128 + 9, "%d: %s", started.status, started.stderr_text);
    cr_assert(processes_with(tag) == 0, "something is left running");
}

/* Without a watcher of ours the ranks find out by themselves. */
static void by_mpirun(const char *name, const char *words)
{
    struct started started;
    char path[600];
    STARTED(
        &started,
        SETTINGS("DEVICE=sim", "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "TMPDIR=/tmp"),
        "mpirun", "--oversubscribe", "-n", "2", program_path("streams", path, sizeof path), name);
    cr_assert(started.status > 0 && strstr(started.stderr_text, words), "%s: %d: %s", name, started.status,
              started.stderr_text);
}

Test(diagnose_streams, under_mpirun, .timeout = 100)
{
    if (system("command -v mpirun >/dev/null 2>&1 && mpirun --version 2>/dev/null | grep -q 'Open MPI'") != 0)
        cr_skip_test("there is no Open MPI");
    by_mpirun("receive:3", "stands in stream 2; the host waits in");
    by_mpirun("collective", "stands in the stream; the host waits in");
    by_mpirun("killed", "rank 1 has ended");
    by_mpirun("write", "a GPU's memory from plain C");
}
