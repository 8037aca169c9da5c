/* mistakes.c: see mistakes.h. */
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 80

int mistakes_line(const char *program, const char *mark)
{
    char path[100], line[256], end[80];
    int number = 0, found = 0;
    snprintf(path, sizeof path, "tests/programs/%s.c", program);
    FILE *source = fopen(path, "r");
    snprintf(end, sizeof end, "/* mark %s */", mark);
    while (source && !found && fgets(line, sizeof line, source)) {
        number++;
        if (strstr(line, end))
            found = number;
    }
    if (source)
        fclose(source);
    return found;
}

/* What was said, without "[0] " and with broken lines put together. Gives the length of the longest line before that. */
static size_t clean(const char *said, char *text, size_t size)
{
    size_t used = 0, longest = 0;
    for (const char *line = said; *line;) {
        size_t length = strcspn(line, "\n");
        longest = length > longest ? length : longest;
        const char *from = line, *end = line + length;
        if (*from == '[')
            from += strcspn(from, "]") + 2;
        bool goes_on = used > 0 && strncmp(from, "  ", 2) == 0;
        used += (size_t)snprintf(text + used, size - used, "%s%.*s",
                                 goes_on ? " "
                                 : used  ? "\n"
                                         : "",
                                 (int)(end - from) - 2 * goes_on, from + 2 * goes_on);
        line = end + (*end == '\n');
    }
    text[used] = '\0';
    return longest;
}

/* A report that says what to try, or of two calls that do not fit, also says where that is explained. */
static void must_name_lesson(const struct mistake *expected, const char *said)
{
    cr_assert(expected->status != DIST_ERR_MISMATCH || strstr(said, "\nsee: chapter "),
              "%s names no lesson: %s", expected->name, said);
    for (const char *advice = said; (advice = strstr(advice, "\ntry: ")); advice++)
        cr_assert(strstr(advice, "\nsee: chapter "), "%s names no lesson: %s", expected->name, said);
}

static void must_have(const char *program, const struct mistake *expected, const char *said)
{
    char place[64];
    cr_assert(strncmp(said, expected->begins, strlen(expected->begins)) == 0, "%s begins otherwise: %s",
              expected->name, said);
    cr_assert(strstr(said, expected->words), "%s does not say \"%s\": %s", expected->name, expected->words,
              said);
    for (int i = 0; i < 3 && expected->marks[i]; i++) {
        snprintf(place, sizeof place, "%s.c:%d", program, mistakes_line(program, expected->marks[i]));
        cr_assert(strstr(said, place), "%s does not name %s: %s", expected->name, place, said);
    }
}

/* Words of the library's own that no learner can know. */
static void must_not_have(const struct mistake *expected, const char *said)
{
    static const char *const internal[] = { "shm_",     "eventcount", "backoff",   "contribution", "futex",
                                            "envelope", "ticket",     "bootstrap", "flush",        "mprotect",
                                            "SIGSEGV",  "(null)",     "engine" };
    for (size_t i = 0; i < sizeof internal / sizeof *internal; i++)
        cr_assert(!strstr(said, internal[i]), "%s says \"%s\": %s", expected->name, internal[i], said);
}

void mistakes_make_one(const char *program, const char *common, const struct mistake *expected,
                       const char *mode)
{
    static struct started started;
    static char said[sizeof started.stderr_text + 4096];
    const char *setting = expected->setting ? expected->setting : "DIST_CHECK=0";
    STARTED(&started, SETTINGS(mode, setting, "TMPDIR=/nowhere", common), program, expected->name);
    size_t longest = clean(started.stderr_raw, said, sizeof said);
    cr_assert(started.status == expected->status, "%s, %s: status %d, not %d: %s", expected->name, mode,
              started.status, expected->status, said);
    cr_assert(longest <= COLUMNS, "%s, %s: a line of %zu columns: %s", expected->name, mode, longest,
              started.stderr_raw);
    must_not_have(expected, said);
    must_name_lesson(expected, said);
    if (expected->begins)
        must_have(program, expected, said);
    else
        cr_assert(said[0] == '\0', "%s, %s: a false alarm: %s", expected->name, mode, said);
}

void mistakes_make(const char *program, const char *common, const struct mistake *list, size_t count)
{
    const char *backend = getenv("BACKEND");
    bool only_threads = backend && strcmp(backend, "cuda") == 0;
    for (size_t i = 0; i < count; i++) {
        if (!only_threads)
            mistakes_make_one(program, common, &list[i], "DIST_RANKS=processes");
        mistakes_make_one(program, common, &list[i], "DIST_RANKS=threads");
    }
}
