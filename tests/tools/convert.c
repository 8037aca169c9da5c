/*
 * convert FORMAT results.tsv: the results of grading as another program wants them, on stdout.
 *
 *     gradescope    results.json of an autograder on Gradescope
 *     junit         the XML that GitLab, Jenkins, GitHub and others show
 *     exercism      results.json of a test runner of Exercism, version 2
 *     csv           a line for each test, for a spreadsheet
 *
 * convert grades NAME results.tsv NAME results.tsv ...: a line for each submission, with the points of each exercise, as csv.
 *
 * Whatever the feedback holds, the file is valid. Nothing is freed: the program ends as soon as all is written.
 */
#include "convert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Both results.json begin alike: no commas after the last. */
static const char *comma(const struct results *results, int i)
{
    return i < results->count - 1 ? "," : "";
}

static char *full_name(const struct result *result)
{
    size_t size = strlen(result->title) + strlen(result->test) + 3;
    char *name = malloc(size);
    if (!name)
        abort();
    snprintf(name, size, "%s: %s", result->title, result->test);
    return name;
}

static void gradescope_test(const struct result *result)
{
    printf("    { \"score\": %d, \"max_score\": %d, \"status\": \"%s\", \"number\": ", result->points,
           result->max, result->passed ? "passed" : "failed");
    put_json(stdout, result->number);
    printf(", \"name\": ");
    put_json(stdout, full_name(result));
    printf(", \"output_format\": \"text\", \"visibility\": \"visible\",\n      \"output\": ");
    put_json(stdout, result->feedback);
    printf(" }");
}

static void gradescope(const struct results *results)
{
    printf("{\n  \"score\": %d,\n  \"output\": \"%d of %d points.\",\n  \"output_format\": \"text\",\n",
           results->points, results->points, results->max);
    printf("  \"visibility\": \"visible\",\n  \"stdout_visibility\": \"hidden\",\n  \"tests\": [\n");
    for (int i = 0; i < results->count; i++) {
        gradescope_test(&results->all[i]);
        printf("%s\n", comma(results, i));
    }
    printf("  ]\n}\n");
}

/* The tests of one exercise, from `first` on; gives back where the next one begins. */
static int junit_exercise(const struct results *results, int first)
{
    const struct result *all = results->all;
    int end = first, failed = 0, errors = 0;
    for (; end < results->count && strcmp(all[end].exercise, all[first].exercise) == 0; end++) {
        failed += all[end].ran && !all[end].passed;
        errors += !all[end].ran;
    }
    printf("  <testsuite name=");
    put_attribute(stdout, all[first].exercise);
    printf(" tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", end - first, failed, errors);
    for (int i = first; i < end; i++) {
        const char *tag = all[i].ran ? "failure" : "error";
        printf("    <testcase classname=");
        put_attribute(stdout, all[i].exercise);
        printf(" name=");
        put_attribute(stdout, all[i].test);
        if (all[i].passed) {
            printf("/>\n");
            continue;
        }
        printf("><%s type=", tag);
        put_attribute(stdout, all[i].status);
        printf(" message=\"%d of %d points\">", all[i].points, all[i].max);
        put_xml(stdout, all[i].feedback);
        printf("</%s></testcase>\n", tag);
    }
    printf("  </testsuite>\n");
    return end;
}

static void junit(const struct results *results)
{
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    printf("<testsuites tests=\"%d\" failures=\"%d\" errors=\"%d\">\n", results->count,
           results->ran - results->passed, results->count - results->ran);
    for (int first = 0; first < results->count;)
        first = junit_exercise(results, first);
    printf("</testsuites>\n");
}

static void exercism(const struct results *results)
{
    bool none = results->ran == 0;
    printf("{\n  \"version\": 2,\n  \"status\": \"%s\",\n  \"message\": ", none ? "error"
                                                                           : results->passed < results->count
                                                                               ? "fail"
                                                                               : "pass");
    if (none)
        put_json(stdout, results->count ? results->all[0].feedback : "There is nothing to grade.");
    else
        printf("null");
    printf(",\n  \"tests\": [\n");
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->all[i];
        printf("    { \"name\": ");
        put_json(stdout, full_name(result));
        printf(", \"status\": \"%s\", \"message\": ", result->passed ? "pass"
                                                      : result->ran  ? "fail"
                                                                     : "error");
        if (result->passed)
            printf("null");
        else
            put_json(stdout, result->feedback);
        printf(" }%s\n", comma(results, i));
    }
    printf("  ]\n}\n");
}

static void csv(const struct results *results)
{
    printf("exercise,test,points,max,status,feedback\r\n");
    for (int i = 0; i < results->count; i++) {
        const struct result *result = &results->all[i];
        put_csv(stdout, result->exercise);
        putchar(',');
        put_csv(stdout, result->test);
        printf(",%d,%d,%s,", result->points, result->max, result->status);
        put_csv(stdout, result->feedback);
        printf("\r\n");
    }
}

static bool read_or_say(struct results *results, const char *path)
{
    bool good = results_read(results, path);
    if (!good)
        fprintf(stderr, "convert: %s cannot be read, or is no results.tsv\n", path);
    return good;
}

/* ---- many submissions -------------------------------------------------------------- */

static bool begins_exercise(const struct results *results, int i)
{
    return i == 0 || strcmp(results->all[i].exercise, results->all[i - 1].exercise) != 0;
}

static void grades_head(const struct results *results)
{
    printf("submission,points,max");
    for (int i = 0; i < results->count; i++)
        if (begins_exercise(results, i)) {
            putchar(',');
            put_csv(stdout, results->all[i].number);
        }
    printf(",refused\r\n");
}

/* The exercises in which something was tried that no exercise needs, with blanks between. */
static void put_refused(const struct results *results)
{
    char refused[1024] = "";
    for (int i = 0; i < results->count; i++) {
        size_t used = strlen(refused);
        bool last = i == results->count - 1 || begins_exercise(results, i + 1), any = false;
        for (int k = i; last && k >= 0 && strcmp(results->all[k].exercise, results->all[i].exercise) == 0;
             k--)
            any = any || strcmp(results->all[k].status, "refused") == 0;
        if (any)
            snprintf(refused + used, sizeof refused - used, "%s%s", used ? " " : "", results->all[i].number);
    }
    put_csv(stdout, refused);
}

static void grades_line(const char *name, const struct results *results)
{
    int points = 0;
    put_csv(stdout, clean(name, strlen(name), 3 * strlen(name)));
    printf(",%d,%d", results->points, results->max);
    for (int i = 0; i < results->count; i++) {
        points = begins_exercise(results, i) ? 0 : points;
        points += results->all[i].points;
        if (i == results->count - 1 || begins_exercise(results, i + 1))
            printf(",%d", points);
    }
    putchar(',');
    put_refused(results);
    printf("\r\n");
}

static bool grades(int count, char **pairs)
{
    struct results results;
    bool good = true, headed = false;
    for (int i = 0; i + 1 < count; i += 2) {
        if (!read_or_say(&results, pairs[i + 1])) {
            good = false;
            continue;
        }
        if (!headed)
            grades_head(&results);
        headed = true;
        grades_line(pairs[i], &results);
    }
    return good;
}

/* The exit status. */
static int written(bool good)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return good ? 0 : 1;
    fprintf(stderr, "convert: the results cannot be written: %s\n", strerror(errno));
    return 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*write)(const struct results *results);
    } formats[] = {
        { "gradescope", gradescope }, { "junit", junit }, { "exercism", exercism }, { "csv", csv }
    };
    struct results results;
    if (argc > 3 && strcmp(argv[1], "grades") == 0)
        return written(grades(argc - 2, argv + 2));
    for (size_t i = 0; argc == 3 && i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(argv[1], formats[i].name) != 0)
            continue;
        if (!read_or_say(&results, argv[2]))
            return 1;
        formats[i].write(&results);
        return written(true);
    }
    fprintf(stderr, "usage: convert gradescope|junit|exercism|csv results.tsv, or convert grades NAME "
                    "results.tsv ...\n");
    return 2;
}
