/* expect.c: what was handed in, compared with what is right. */
#include "inside.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#define SHOWN 6 /* elements of a tensor that are shown */

static bool right_enough(const struct sitting *s, double is, double must)
{
    double largest = fmax(fmax(1, s->largest), fabs(must));
    return s->tolerance == 0 ? is == must : fabs(is - must) <= s->tolerance * largest;
}

/* "[1, 2, 3, ...]" */
static void add_item(char *text, size_t size, int64_t i, int64_t count, double value)
{
    size_t used = strlen(text);
    if (i < SHOWN)
        snprintf(text + used, size - used, "%s%.6g%s", i ? ", " : "[", value,
                 i == count - 1   ? "]"
                 : i == SHOWN - 1 ? ", ...]"
                                  : "");
}

static void compare(struct sitting *s, int rank, const char *name, const struct sheet_head *head,
                    const char *data, answer *right)
{
    char has[200] = "", wants[200] = "";
    int64_t wrong = 0, first = -1;
    bool rounded = head->type == DIST_F64 || head->type == DIST_I32 || head->type == DIST_I64;
    for (int64_t i = 0; i < head->count; i++) {
        double is = sheet_item(head, data, i), must = right(s, rank, i);
        bool good = right_enough(s, is, must);
        wrong += !good;
        first = !good && first < 0 ? i : first;
        rounded = rounded && fabs(is - must) <= 1e-6 * fmax(1, fabs(must));
        add_item(has, sizeof has, i, head->count, is);
        add_item(wants, sizeof wants, i, head->count, must);
    }
    if (wrong == 0)
        return;
    feedback("rank %d holds %.10g, expected %.10g; first wrong element of %s: %lld (%lld of %lld wrong)",
             rank, sheet_item(head, data, first), right(s, rank, first), name, (long long)first,
             (long long)wrong, (long long)head->count);
    if (head->count > 1)
        feedback("    holds %s, expected %s", has, wants);
    if (rounded)
        feedback("    That is nearly right: these are %s, and something on their way is an F32 or a float.",
                 head->type == DIST_F64 ? "F64" : "whole numbers");
}

void expect_on(struct sitting *s, int rank, const char *name, int64_t count, answer *right)
{
    struct sheet_head head;
    const char *data = s->run ? sheet_find(&handed_sheets[rank], name, &head) : NULL;
    if (!s->run)
        return;
    if (!data)
        feedback("rank %d handed in no %s", rank, name);
    else if (head.count != count)
        feedback("rank %d: %s has %lld elements, expected %lld", rank, name, (long long)head.count,
                 (long long)count);
    else
        compare(s, rank, name, &head, data, right);
}

void expect(struct sitting *s, const char *name, int64_t count, answer *right)
{
    for (int rank = 0; rank < s->ranks; rank++)
        expect_on(s, rank, name, count, right);
}

bool claim(struct sitting *s, bool holds, const char *format, ...)
{
    char line[512];
    va_list values;
    if (holds || !s->run)
        return holds;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    feedback("%s", line);
    return false;
}
