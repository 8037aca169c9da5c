/*
 * test_restarts.c: distrun --restarts. Whoever is killed, whenever: it goes on with the ranks that are left, as often as it was told to
 * and no more; and what was trained has the bits of a run that nobody disturbed.
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DISTRUN "build/bin/distrun"
#define SURVIVES "build/chapters/13_scale/survives"

TestSuite(restarts, .timeout = 120);

static struct started job;

/* A shell as each rank; it ends in its own way. */
static void shell(const char *restarts, const char *script)
{
    STARTED(&job, SETTINGS("DIST_OUTPUT=ordered"), DISTRUN, "-n", "4", "--restarts", restarts, "sh", "-c",
            script);
}

static int times(const char *text, const char *word)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

Test(restarts, go_on_with_the_ranks_that_are_left)
{
    shell("3", "[ $WORLD_SIZE -lt 4 ] || [ $RANK != 2 ] || kill -9 $$; echo size $WORLD_SIZE");
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    cr_assert_eq(times(job.stdout_text, "size 3\n"), 3, "%s", job.stdout_text);
    cr_assert(strstr(job.stderr_text, "rank 2 was killed by signal 9"), "%s", job.stderr_text);
    cr_assert(strstr(job.stderr_text, "distrun: 1 rank was lost; restart 1 of 3, with 3."), "%s",
              job.stderr_text);
}

Test(restarts, two_at_once_are_two)
{
    shell("1", "[ $WORLD_SIZE -lt 4 ] || [ $RANK -lt 2 ] || kill -9 $$; sleep 0.2; echo size $WORLD_SIZE");
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    cr_assert(strstr(job.stderr_text, "2 ranks were lost; restart 1 of 1, with 2.") ||
                  strstr(job.stderr_text, "1 rank was lost; restart 1 of 1, with 3."),
              "%s", job.stderr_text);
}

Test(restarts, no_more_often_than_told)
{
    shell("2", "[ $RANK != 0 ] || exit 3; sleep 1");
    cr_assert_eq(job.status, 3, "%d: %s", job.status, job.stderr_text);
    cr_assert_eq(times(job.stderr_text, "; restart "), 2, "%s", job.stderr_text);
    shell("0", "exit 3");
    cr_assert(job.status == 3 && times(job.stderr_text, "; restart ") == 0, "%s", job.stderr_text);
}

/* The last rank is killed, too: one is started again, since there is none to leave out. */
Test(restarts, one_rank_stays_one)
{
    STARTED(&job, SETTINGS("DIST_OUTPUT=ordered"), DISTRUN, "-n", "1", "--restarts=2", "sh", "-c",
            "echo $TORCHELASTIC_RESTART_COUNT; [ $TORCHELASTIC_RESTART_COUNT = 2 ] || kill -9 $$");
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    cr_assert(strstr(job.stdout_text, "2\n"), "%s", job.stdout_text);
    cr_assert_eq(times(job.stderr_text, ", with 1."), 2, "%s", job.stderr_text);
}

Test(restarts, a_mistake_is_not_made_again)
{
    shell("3", "exit 45");
    cr_assert_eq(job.status, 45);
    cr_assert_eq(times(job.stderr_text, "; restart "), 0, "%s", job.stderr_text);
}

Test(restarts, what_ends_well_ends)
{
    shell("3", "exit 0");
    cr_assert_eq(job.status, 0);
    cr_assert_str_empty(job.stderr_text);
}

static void same_file(const char *left, const char *right)
{
    FILE *a = fopen(left, "rbe"), *b = fopen(right, "rbe");
    cr_assert(a && b, "%s, %s", left, right);
    int x, y;
    long at = 0;
    do {
        x = getc(a), y = getc(b), at++;
    } while (x == y && x != EOF);
    cr_assert_eq(x, y, "byte %ld differs", at);
    fclose(a);
    fclose(b);
}

/* Chapter 10's training, killed from outside at moments that nobody chose. */
Test(restarts, training_that_is_killed_ends_with_the_same_bits)
{
    char folder[] = "/tmp/restarts.XXXXXX", calm[64], rough[64], aside[80], script[300];
    cr_assert(mkdtemp(folder));
    snprintf(calm, sizeof calm, "%s/calm", folder);
    snprintf(rough, sizeof rough, "%s/rough", folder);
    STARTED(&job, SETTINGS(NULL), DISTRUN, "-n", "4", SURVIVES, "train", calm);
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    /* Of the first three runs the last rank has a killer beside it. */
    snprintf(script, sizeof script,
             "if [ $TORCHELASTIC_RESTART_COUNT -lt 3 ] && [ $RANK = $((WORLD_SIZE - 1)) ]; then "
             "(sleep 0.0$((TORCHELASTIC_RESTART_COUNT * 2 + 2)); kill -9 $$) >/dev/null 2>&1 & fi; exec %s "
             "train %s",
             SURVIVES, rough);
    shell("3", script);
    cr_assert_eq(job.status, 0, "%s", job.stderr_text);
    same_file(calm, rough);
    snprintf(aside, sizeof aside, "%s.new", rough);
    unlink(aside);
    unlink(calm);
    unlink(rough);
    rmdir(folder);
}

/* What it holds of the pipe is let go when all of it have ended; a job that went on would have told its end. Its folder goes, too. */
static void who_ends_it(const char *signal)
{
    char script[400];
    snprintf(script, sizeof script,
             "here=$PWD; cd $(mktemp -d /tmp/restarts.XXXXXX) && mkdir build && ln -s $here/build/* build || "
             "exit; "
             "sh -c 'echo $$; exec " SURVIVES "' | { read pid; read line; kill -%s $pid; cat; }; "
             "ls build | grep survives; rm -r $PWD",
             signal);
    STARTED(&job, SETTINGS("WORLD_SIZE=4"), "sh", "-c", script);
    cr_assert_not(strstr(job.stdout_text, "the end"), "%s: %s", signal, job.stdout_text);
    cr_assert_not(strstr(job.stdout_text, "survives-"), "%s: %s", signal, job.stdout_text);
}

Test(restarts, who_ends_the_program_ends_its_job)
{
    who_ends_it("TERM");
    who_ends_it("INT");
}
