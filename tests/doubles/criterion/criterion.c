/*
 * criterion.c: runs the tests of a suite: SUITE [--tap=FILE] [--filter=SUITE/NAME]. Other options are Criterion's, and are passed
 * over. SMALL_PATIENCE=N: every test may take N times as long, on a processor that is only played;
 * SMALL_WITHOUT=SUITE/NAME: not this one. * stands for any letters, in both patterns.
 */
#define _GNU_SOURCE
#include "criterion.h"

#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIMEOUT 10 /* seconds, where the test says nothing */
#define LOOK_NS 2000000

enum { SMALL_PASSED, SMALL_FAILED, SMALL_SKIPPED };

static struct small_test *first, **end = &first;
static jmp_buf out_of_test;
static int result;

void small_add(struct small_test *test)
{
    *end = test;
    end = &test->next;
}

void small_skip(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    result = SMALL_SKIPPED;
    longjmp(out_of_test, 1);
}

void small_judge(bool right, bool must, const char *file, int line, const char *what, const char *format, ...)
{
    if (right)
        return;
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s:%d: it should be %s: ", file, line, what);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    result = SMALL_FAILED;
    if (must)
        longjmp(out_of_test, 1);
}

static const struct small_options *of_suite(const struct small_test *test)
{
    static const struct small_options none;
    for (const struct small_test *t = first; t; t = t->next)
        if (!t->name && strcmp(t->suite, test->suite) == 0)
            return &t->options;
    return &none;
}

static void call(void (*function)(void))
{
    if (function)
        function();
}

/* In a process of its own. */
static _Noreturn void run(const struct small_test *test)
{
    if (setjmp(out_of_test) == 0) {
        call(of_suite(test)->init);
        call(test->options.init);
        test->body();
    }
    call(test->options.fini);
    call(of_suite(test)->fini);
    fflush(NULL);
    _exit(result);
}

static double seconds_of(const struct small_test *test)
{
    const char *patience = getenv("SMALL_PATIENCE");
    double own = test->options.timeout, suites = of_suite(test)->timeout;
    return (own > 0 ? own : suites > 0 ? suites : TIMEOUT) * (patience ? atof(patience) : 1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void tell(FILE *tap, const struct small_test *test, int status, double took)
{
    bool ended = WIFEXITED(status), good = ended && WEXITSTATUS(status) != SMALL_FAILED;
    const char *how = ended                         ? ""
                      : WTERMSIG(status) == SIGKILL ? ": it had not ended in time, or was killed"
                                                    : ": a signal ended it";
    fprintf(tap, "%sok - %s::%s %s (%.2fs)%s\n", good ? "" : "not ", test->suite, test->name,
            ended && WEXITSTATUS(status) == SMALL_SKIPPED ? "# SKIP" : "", took, how);
    fflush(tap);
}

/* Gives whether it passed. */
static bool one(FILE *tap, const struct small_test *test)
{
    double began = now(), until = began + seconds_of(test);
    int status = SMALL_FAILED << 8;
    pid_t pid = fork();
    if (pid == 0)
        run(test);
    while (pid > 0 && waitpid(pid, &status, WNOHANG) == 0) {
        if (now() > until)
            kill(pid, SIGKILL);
        nanosleep(&(struct timespec){ 0, LOOK_NS }, NULL);
    }
    tell(tap, test, status, now() - began);
    return WIFEXITED(status) && WEXITSTATUS(status) != SMALL_FAILED;
}

static bool is_chosen(const struct small_test *test, const char *filter)
{
    char name[256];
    snprintf(name, sizeof name, "%s/%s", test->suite, test->name ? test->name : "");
    const char *without = getenv("SMALL_WITHOUT");
    return test->name && fnmatch(filter, name, 0) == 0 && (!without || fnmatch(without, name, 0) != 0);
}

int main(int count, char **words)
{
    const char *filter = "*";
    FILE *tap = stdout;
    int tests = 0, failed = 0;
    for (int i = 1; i < count; i++)
        if (strncmp(words[i], "--filter=", 9) == 0)
            filter = words[i] + 9;
        else if (strncmp(words[i], "--tap=", 6) == 0 && !(tap = fopen(words[i] + 6, "w")))
            return 2;
    for (const struct small_test *test = first; test; test = test->next)
        tests += is_chosen(test, filter);
    fprintf(tap, "1..%d\n", tests);
    fflush(NULL);
    for (const struct small_test *test = first; test; test = test->next)
        if (is_chosen(test, filter))
            failed += !one(tap, test);
    return failed > 0;
}
