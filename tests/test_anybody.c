/*
 * test_anybody.c: receives from anybody: are messages taken in the order in which they were sent, and what depends on luck told, and
 * nothing else? The programs are in tests/programs/anybody.c.
 */
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(anybody, .timeout = 200);

static const char *const modes[][3] = {
    { "DIST_RANKS=processes" }, { "DIST_RANKS=threads" },          { "DIST_BUFFERING=eager:64" },
    { "DIST_TRACE=/dev/null" }, { "BACKEND=cuda", "DEVICE=host" },
};

Test(anybody, whoever_sends_first)
{
    static const char *const ways[] = { "isend", "send", "large-isend", "large-send" };
    static struct started job;
    for (size_t mode = 0; mode < sizeof modes / sizeof modes[0]; mode++)
        for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
            STARTED(&job, modes[mode], "anybody", ways[way]);
            cr_assert(job.status == 0 && !job.stdout_text[0] && !job.stderr_text[0], "%s, %s: %d, %s%s",
                      modes[mode][0], ways[way], job.status, job.stdout_text, job.stderr_text);
        }
}

#define CHECKED "DIST_CHECK=1"
#define LUCK "warning: it was luck which message rank 0 received from anybody ("

static const struct mistake luck[] = {
    { "race", 0, LUCK, { "race", "race-1", "race-2" }, "DIST_SHUFFLE=1 tries others", CHECKED },
    { "early", 0, LUCK, { "early", "early-send" }, "and could have been rank ", CHECKED },
    { "starves",
      0,
      LUCK,
      { "starves", "starves-1", "starves-then" },
      "then rank 0 would have waited for that one for ever",
      CHECKED },
    { "send", 0, LUCK, { NULL }, "could have been", CHECKED },
    { "race", 0, NULL, { NULL }, NULL, NULL }, /* only checked mode asks */
    { "isend", 0, NULL, { NULL }, NULL, CHECKED },
    { "told", 0, NULL, { NULL }, NULL, CHECKED },
    { "looked", 0, NULL, { NULL }, NULL, CHECKED },
    { "barrier", 0, NULL, { NULL }, NULL, CHECKED },
    { "ended", 0, NULL, { NULL }, NULL, CHECKED },
    { "apart", 0, NULL, { NULL }, NULL, CHECKED },
    { "reduced", 0, NULL, { NULL }, NULL, CHECKED },
    { "asked", 0, NULL, { NULL }, NULL, "DIST_BUFFERING=eager:64" }, /* that is no luck of buffers either */
};

Test(anybody, luck_is_told_and_nothing_else)
{
    mistakes_make("anybody", NULL, luck, sizeof luck / sizeof *luck);
}

/* The ranks have ended when their calls are looked through. By the square of their number that took twenty seconds. */
Test(anybody, luck_is_told_of_very_many_soon)
{
    static struct started job;
    static const char *const checked[] = { CHECKED, NULL };
    STARTED(&job, checked, "anybody", "flood");
    cr_expect(job.status == 0 && strstr(job.stderr_text, LUCK), "%d, %s", job.status, job.stderr_text);
    double looked = seconds_now() - atof(job.stdout_text + strcspn(job.stdout_text, "]") + 1);
    cr_expect(looked < 8, "%.1f s after: %s", looked, job.stdout_text);
}

/* Where a stream receives, who sent is known all the same. */
Test(anybody, luck_is_told_on_a_gpu)
{
    mistakes_make("anybody", "DEVICE=sim", luck, sizeof luck / sizeof *luck);
}

/* Some order of two is found soon that does not end well; and none that does harm to what does not depend on it. */
Test(anybody, shuffled)
{
    static const char *const right[] = { "told", "looked", "barrier", "apart", "reduced" };
    static struct started job;
    char seed[40];
    int stuck = 0;
    for (int i = 1; i <= 10; i++) {
        snprintf(seed, sizeof seed, "DIST_SHUFFLE=%d", i);
        STARTED(&job, SETTINGS(seed, i % 2 ? "DIST_CHECK=1" : "DIST_CHECK=0", "TMPDIR=/nowhere"), "anybody",
                "starves-shuffled");
        stuck += job.status == DIST_ERR_DEADLOCK || job.status == DIST_ERR_PEER_LOST ||
                 job.status == DIST_ERR_MISMATCH;
        cr_assert(job.status == 0 || strstr(job.stderr_text, "anybody.c:"), "%s", job.stderr_text);
        STARTED(&job, SETTINGS(seed, "DIST_CHECK=1"), "anybody", right[i % 5]);
        cr_assert(job.status == 0 && !job.stderr_text[0], "%s: %s", right[i % 5], job.stderr_text);
    }
    cr_assert(stuck > 0 && stuck < 10, "%d of 10 got stuck", stuck);
    STARTED(&job, SETTINGS("DIST_SHUFFLE=yes"), "anybody", "told");
    cr_assert(job.status == DIST_ERR_ENVIRONMENT && strstr(job.stderr_text, "DIST_SHUFFLE is \"yes\""), "%s",
              job.stderr_text);
}
