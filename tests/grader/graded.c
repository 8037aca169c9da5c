/* graded.c: the tests of one grader, and what is written down about each. runner.c starts them. */
#include "inside.h"

#include <stdlib.h>
#include <string.h>

struct graded *graded_first;
static struct graded *running;

void graded_add(struct graded *graded)
{
    struct graded **end = &graded_first;
    while (*end)
        end = &(*end)->next;
    *end = graded;
}

const char *exercise_name(void)
{
    const char *name = getenv("GRADE_EXERCISE");
    return name ? name : "?";
}

const char *test_path(const struct graded *graded, const char *name, char *path, size_t size)
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

void graded_write(struct graded *graded, const char *status, const char *words)
{
    char line[PATH_SIZE + 200], path[PATH_SIZE];
    const struct sitting *s = sitting_now();
    running = graded;
    put_file("txt", words);
    snprintf(line, sizeof line, "%s\t%s\t%d\t%d\t%s\t%d\t%llu\t%s\n", exercise_name(), graded->name,
             strcmp(status, "passed") == 0 ? graded->points : 0, graded->points, status, s->ranks,
             (unsigned long long)s->seed, out_path("txt", path, sizeof path));
    put_file("line", line);
}

bool graded_run(struct graded *graded)
{
    running = graded;
    refuse();
    if (!feedback_any())
        graded->body();
    if (!feedback_any() && sitting_now()->ranks == 0)
        feedback("The grader has looked at nothing; tell its author.");
    bool passed = !feedback_any();
    if (!passed && sitting_now()->again)
        feedback("That was a run in which your function is called twice, with other numbers, and the second "
                 "time with a message of "
                 "somebody else under way. Does it keep something from one call to the next, or leave "
                 "something undone?");
    if (!passed)
        sitting_show_solution();
    graded_write(graded,
                 passed          ? "passed"
                 : refused_any() ? "refused"
                                 : "failed",
                 passed ? leftover_words() : feedback_words());
    return passed;
}
