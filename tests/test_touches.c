/*
 * test_touches.c: DIST_CHECK=1 tells every touch of a tensor that a message needs, from the program's own code, beside it on its page,
 * from another thread, and through each call of tensor.h; and lets be what is nobody's. The programs are in tests/programs/touches.c.
 */
#define _GNU_SOURCE
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/wait.h>

#define CHECKED "DIST_CHECK=1"
#define TOUCH(name, begins, first, later, words) \
    { \
        name, DIST_ERR_BUFFER, "buffer: rank 0 " begins, { first, later }, words, CHECKED \
    }

#define END(name, told, words) \
    { \
        name, DIST_ERR_ARGUMENT, "rank 0: ", { "end-made", told }, words, CHECKED \
    }

/* Behind a neighbour that was touched: only x86 can let one touch pass and close the page again. */
static const struct mistake behind[] = {
    TOUCH("write-behind", "writes to a tensor that is being sent", "part-out", "write-behind", "written at"),
    TOUCH("write-last", "writes to a tensor that is being sent", "part-out", "write-last", "tensor_clone"),
    TOUCH("read-behind", "reads a tensor that is being received", "part-in", "read-behind", "read at"),
};

/* Of a call that blocks, another thread of the rank. */
static const struct mistake threads[] = {
    TOUCH("thread-set", "writes to a tensor that is being sent", "blocking-send", "thread-set",
          "by tensor_set"),
    TOUCH("thread-write", "writes to a tensor that is being sent", "blocking-send", "thread-write",
          "missing        a lock, or a join: another thread is still in that call"),
    TOUCH("thread-sum", "writes to a tensor that dist_all_reduce still works on", "blocking-sum",
          "thread-write", "try: wait until that call has returned, or use another tensor."),
};

Test(touches, behind_a_neighbour, .timeout = 60)
{
#if defined(__x86_64__)
    mistakes_make("touches", NULL, behind, sizeof behind / sizeof *behind);
#else
    (void)behind;
#endif
}

/* Without the check the write does no harm: the slack of a page takes it. */
Test(touches, behind_the_end, .timeout = 60)
{
    static const struct mistake ends[] = { END("end-free", "end-free",
                                               "behind the end of the tensor made at touches.c:"),
                                           END("end-slice", "end-slice", "element 4 would be, of 3;"),
                                           END("end-sum", "end-sum", "must end before element 3"),
                                           END("end-flies", "end-flies", "element 4 would be, of 3;") };
    mistakes_make("touches", NULL, ends, sizeof ends / sizeof *ends);
}

Test(touches, from_another_thread, .timeout = 60)
{
    mistakes_make("touches", NULL, threads, sizeof threads / sizeof *threads);
}

/* The line is asked of a child, whose end such a program does not hear of. */
Test(touches, where_the_ends_of_children_are_ignored, .timeout = 60)
{
    struct started job;
    STARTED(&job, SETTINGS(CHECKED), "sh", "-c", "trap '' CHLD; exec \"$0\" write",
            program_path("faulty", (char[600]){ "" }, 600));
    cr_expect(strstr(job.stderr_text, "written at     faulty.c:"), "%s", job.stderr_text);
}

/* The rank is in dist_send while another thread of it tells: woken by that, it must not end the process in the middle of the sentence.
 * Many at once, so that some thread loses its processor there. */
Test(touches, another_thread_is_let_tell, .timeout = 60)
{
    enum { AT_ONCE = 12 };
    static struct started runs[AT_ONCE];
    const char *const settings[] = { CHECKED, "DIST_RANKS=processes", NULL };
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < AT_ONCE; i++)
            started_begin(&runs[i], settings, (const char *const[]){ "touches", "thread-set", NULL });
        for (int i = 0; i < AT_ONCE; i++) {
            started_end(&runs[i], 30);
            cr_assert(strstr(runs[i].stderr_text, "buffer: rank 0 writes"), "only: %s", runs[i].stderr_text);
        }
    }
}

/* The program counts what is told of each call itself. */
static void each_call(const char *device)
{
    static const struct mistake quiet[] = { { "calls", 0, "note: ", { NULL }, "never freed", CHECKED },
                                            { "part", 0, "note: ", { NULL }, "never freed", CHECKED } };
    mistakes_make("touches", device, quiet, sizeof quiet / sizeof *quiet);
}

Test(touches, through_each_call, .timeout = 60)
{
    each_call("DEVICE=host");
}

Test(touches, through_each_call_on_streams, .timeout = 60)
{
    each_call("DEVICE=sim");
}

Test(touches, of_all_that_a_collective_in_place_reads, .timeout = 60)
{
    static const struct mistake quiet[] = { { "in-place", 0, NULL, { NULL }, NULL, CHECKED } };
    mistakes_make("touches", NULL, quiet, 1);
}

Test(touches, neighbours_are_left_alone, .timeout = 60)
{
    static const struct mistake often[] = { { "often", 0, NULL, { NULL }, NULL, CHECKED } };
    mistakes_make("touches", NULL, often, 1);
}
