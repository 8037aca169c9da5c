/*
 * graded.c: the tests of one grader, and what is written down about each.
 *
 * Criterion runs each test in a process of its own, which leaves $GRADE_OUT/TEST.line and TEST.txt. When all have ended
 * the lines are put together, in the order of the grader's file, as $GRADE_OUT/results.tsv:
 *
 *     exercise  test  points  max  passed|failed|error  ranks  seed  feedback-file      with tabs in between
 *
 * A test that left no line, because the grader itself is broken, is an error with 0 points.
 */
#define _GNU_SOURCE
#include "inside.h"

#include <criterion/hooks.h>
#include <stdlib.h>
#include <string.h>

static struct graded *first;
static struct graded *running;

void graded_add(struct graded *graded)
{
    struct graded **end = &first;
    while (*end)
        end = &(*end)->next;
    *end = graded;
}

static const char *exercise_name(void)
{
    const char *name = getenv("GRADE_EXERCISE");
    return name ? name : "?";
}

static const char *test_path(const struct graded *graded, const char *name, char *path, size_t size)
{
    const char *folder = getenv("GRADE_OUT");
    snprintf(path, size, "%s/%s.%s", folder ? folder : ".", graded->name, name);
    return path;
}

const char *out_path(const char *name, char *path, size_t size)
{
    return test_path(running, name, path, size);
}

static void put_file(const char *name, const char *text)
{
    char path[PATH_SIZE];
    FILE *file = fopen(out_path(name, path, sizeof path), "we");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

void graded_run(struct graded *graded)
{
    char line[PATH_SIZE + 200], path[PATH_SIZE];
    running = graded;
    refuse();
    if (!feedback_any())
        graded->body();
    const struct sitting *s = sitting_now();
    if (!feedback_any() && s->ranks == 0)
        feedback("The grader has looked at nothing; tell its author.");
    bool passed = !feedback_any();
    put_file("txt", feedback_words());
    if (!passed)
        sitting_show_solution();
    snprintf(line, sizeof line, "%s\t%s\t%d\t%d\t%s\t%d\t%llu\t%s\n", exercise_name(), graded->name,
             passed ? graded->points : 0, graded->points, passed ? "passed" : "failed", s->ranks,
             (unsigned long long)s->seed, out_path("txt", path, sizeof path));
    put_file("line", line);
    cr_assert(passed, "%s", feedback_words());
}

/* Put the lines together, once all tests have ended. */
ReportHook(POST_ALL)(struct criterion_global_stats *stats)
{
    (void)stats;
    char path[PATH_SIZE], line[PATH_SIZE + 200];
    const char *folder = getenv("GRADE_OUT");
    snprintf(path, sizeof path, "%s/results.tsv", folder ? folder : ".");
    FILE *results = fopen(path, "we");
    if (!results)
        return;
    for (const struct graded *graded = first; graded; graded = graded->next) {
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

/*
 * --tell: what is known without a learner: title, kind of drawing, and the points of each test. It runs before main, after all
 * graded_add(), which have a priority. A main of our own will not do: where Criterion's library binds its symbols to
 * itself, as Ubuntu's does, that main would run again in the process of each test.
 */
__attribute__((constructor)) static void tell(int argc, char **argv)
{
    if (argc != 2 || strcmp(argv[1], "--tell") != 0)
        return;
    printf("title\t%s\ndrawing\t%s\n", exercise.title, exercise.drawing ? exercise.drawing : "spacetime");
    for (const struct graded *graded = first; graded; graded = graded->next)
        printf("test\t%s\t%d\n", graded->name, graded->points);
    exit(0);
}
