/* convert_read.c: results.tsv, and the feedback that it points at. */
#define _GNU_SOURCE
#include "convert.h"

#include <stdlib.h>
#include <string.h>

#define FIELDS 8
#define MOST_FEEDBACK (16 << 10)

/* A file of any length: of what it has more than fits, nobody would read all. Without one: nothing. */
static char *feedback_in(const char *path)
{
    static char bytes[MOST_FEEDBACK + 1];
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return clean(bytes, length, MOST_FEEDBACK);
}

static char *words(const char *name, size_t length)
{
    char *text = clean(name, length, 3 * length);
    for (char *at = text; *at; at++)
        *at = *at == '_' ? ' ' : *at;
    return text;
}

/* 03_ring/1_once_round is 03.1, once round. */
static void set_exercise(struct result *result, const char *exercise)
{
    const char *slash = strchr(exercise, '/'), *name = slash ? slash + 1 : exercise;
    int chapter = (int)strcspn(exercise, "_/"), digits = (int)strcspn(name, "_");
    char number[64];
    snprintf(number, sizeof number, "%.*s.%.*s", chapter, exercise, digits, name);
    result->exercise = clean(exercise, strlen(exercise), 3 * strlen(exercise));
    result->number = clean(number, strlen(number), 3 * sizeof number);
    name += digits + (name[digits] == '_');
    result->title = words(name, strlen(name));
}

/* Below the feedback of a failed run: how to have it again. */
static char *with_seed(const struct result *result, const char *ranks, const char *seed)
{
    char *text;
    if (result->passed || !result->ran || atoi(ranks) == 0)
        return result->feedback;
    if (asprintf(&text, "%s\nWith %d rank%s. The same numbers again: GRADE_SEED=%llu make exercise-%s\n",
                 result->feedback, atoi(ranks), atoi(ranks) == 1 ? "" : "s", strtoull(seed, NULL, 10),
                 result->number) < 0)
        abort();
    return text;
}

static bool read_line(struct result *result, char *line)
{
    char *field[FIELDS];
    line[strcspn(line, "\n")] = '\0';
    for (int i = 0; i < FIELDS; i++)
        if (!(field[i] = strsep(&line, "\t")))
            return false;
    set_exercise(result, field[0]);
    result->test = words(field[1], strlen(field[1]));
    result->points = atoi(field[2]);
    result->max = atoi(field[3]);
    result->status = clean(field[4], strlen(field[4]), 3 * strlen(field[4]));
    result->passed = strcmp(field[4], "passed") == 0;
    result->ran = result->passed || strcmp(field[4], "failed") == 0;
    result->feedback = feedback_in(field[7]);
    result->feedback = with_seed(result, field[5], field[6]);
    return true;
}

static void add(struct results *results, const struct result *result)
{
    if (results->count % 64 == 0) {
        results->all = realloc(results->all, (size_t)(results->count + 64) * sizeof *results->all);
        if (!results->all)
            abort();
    }
    results->all[results->count++] = *result;
    results->passed += result->passed;
    results->ran += result->ran;
    results->points += result->points;
    results->max += result->max;
}

bool results_read(struct results *results, const char *path)
{
    char *line = NULL;
    size_t size = 0;
    struct result result;
    FILE *file = fopen(path, "re");
    bool good = file != NULL;
    *results = (struct results){ 0 };
    while (good && getline(&line, &size, file) > 0) {
        good = read_line(&result, line);
        if (good)
            add(results, &result);
    }
    free(line);
    if (file)
        fclose(file);
    return good;
}
