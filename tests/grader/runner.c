/*
 * runner.c: main of every grader. Each test runs in a process of its own, one after the other, and leaves $GRADE_OUT/TEST.line and
 * TEST.txt. When all have ended the lines are put together, in the order of the grader's file, as $GRADE_OUT/results.tsv:
 *
 *     exercise  test  points  max  passed|failed|error  ranks  seed  feedback-file      with tabs in between
 *
 * Whoever started us may be stopped, by Ctrl-C or otherwise: then so are we, and with us the test that runs, its program and all
 * ranks of that, each of which dies when its parent does.
 *
 * An error is a fault of the grader: it crashed. Exit status 0 only if all tests have passed. $GRADE_ONE_FAILURE: the tests behind
 * the first that fails are not run, for who tries many wrong answers and wants no points of them.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEADLINE \
    120 /* seconds for all sittings of one test; $GRADE_LIMIT if that is less. What a single one may take is in start.c */

static unsigned deadline(void)
{
    const char *limit = getenv("GRADE_LIMIT");
    int given = limit ? atoi(limit) : DEADLINE;
    return given > 0 && given < DEADLINE ? (unsigned)given : DEADLINE;
}

/* In the test's own process. No alarm reaches the learner's program: a child inherits none. */
static _Noreturn void run_here(struct graded *graded, pid_t runner)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != runner)
        _exit(126);
    alarm(deadline());
    bool passed = graded_run(graded);
    fflush(NULL);
    _exit(passed ? 0 : 1);
}

/* A test that could not write down itself how it ended. */
static void write_end(struct graded *graded, int status)
{
    char words[200];
    bool killed = WIFSIGNALED(status), late = killed && WTERMSIG(status) == SIGALRM;
    if (late)
        snprintf(words, sizeof words,
                 "All runs of this test together took more than %u seconds and were stopped. Does it wait "
                 "for something, or sleep?\n",
                 deadline());
    else
        snprintf(words, sizeof words, "The grader itself ended here, with %s %d; tell its author.\n",
                 killed ? "signal" : "exit status", killed ? WTERMSIG(status) : WEXITSTATUS(status));
    graded_write(graded, late ? "failed" : "error", words);
}

/* Whatever the test leaves behind when it dies becomes our child, and is killed. */
static bool run_apart(struct graded *graded)
{
    char path[PATH_SIZE];
    int status = 127 << 8;
    test_path(graded, "line", path, sizeof path);
    unlink(path); /* of an earlier run */
    fflush(NULL);
    pid_t runner = getpid(), pid = fork();
    if (pid == 0)
        run_here(graded, runner);
    if (pid > 0)
        waitpid(pid, &status, 0);
    kin_kill();
    if (access(path, F_OK) != 0)
        write_end(graded, status);
    printf("%s %s\n", status == 0 ? "passed" : "FAILED", graded->name);
    return status == 0;
}

static void put_together(void)
{
    char path[PATH_SIZE], line[PATH_SIZE + 200];
    const char *folder = getenv("GRADE_OUT");
    snprintf(path, sizeof path, "%s/results.tsv", folder ? folder : ".");
    FILE *results = fopen(path, "we");
    if (!results)
        return;
    for (const struct graded *graded = graded_first; graded; graded = graded->next) {
        FILE *file = fopen(test_path(graded, "line", path, sizeof path), "re");
        if (!file || !fgets(line, sizeof line, file))
            snprintf(line, sizeof line, "%s\t%s\t0\t%d\terror\t0\t0\t-\n", exercise_name(), graded->name,
                     graded->points);
        fputs(line, results);
        if (file)
            fclose(file);
    }
    fclose(results);
}

/* What is known without a learner: title, kind of drawing, and the points of each test. */
static int tell(void)
{
    printf("title\t%s\ndrawing\t%s\n", exercise.title, exercise.drawing ? exercise.drawing : "spacetime");
    for (const struct graded *graded = graded_first; graded; graded = graded->next)
        printf("test\t%s\t%d\n", graded->name, graded->points);
    return 0;
}

/* What is wrong with the names in $GRADE_CALLS, where a program cannot even be linked. */
static int tell_refused(void)
{
    refuse();
    printf("%s", refused_any() ? feedback_words() : "");
    return refused_any() ? 0 : 1;
}

int main(int argc, char **argv)
{
    bool passed = true;
    if (argc == 2 && strcmp(argv[1], "--tell") == 0)
        return tell();
    if (argc == 2 && strcmp(argv[1], "--refused") == 0)
        return tell_refused();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    for (struct graded *graded = graded_first; graded && (passed || !getenv("GRADE_ONE_FAILURE"));
         graded = graded->next)
        passed &= run_apart(graded);
    put_together();
    return passed ? 0 : 1;
}
