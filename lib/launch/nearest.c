/* nearest.c: see nearest.h. */
#include "nearest.h"

#include <ctype.h>

#define LONGEST 40 /* letters; longer words are near to nothing */

static int nearest_letter(char c)
{
    return tolower((unsigned char)c);
}

static size_t nearest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Row i tells the distances of a's first i letters from the beginnings of b; the last three rows are kept. */
static size_t nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        const size_t *before = rows[(i + 1) % 3], *above = rows[(i - 1) % 3];
        size_t *row = rows[i % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t change = nearest_letter(a[i - 1]) != nearest_letter(b[j - 1]);
            row[j] = nearest_least(nearest_least(above[j], row[j - 1]) + 1, above[j - 1] + change);
            if (i > 1 && j > 1 && nearest_letter(a[i - 1]) == nearest_letter(b[j - 2]) &&
                nearest_letter(a[i - 2]) == nearest_letter(b[j - 1]))
                row[j] = nearest_least(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

/* A third of the letters may be wrong, and one of any word that has three. */
struct nearest nearest_to(const char *text, size_t length)
{
    size_t most = length < 3 ? 0 : length < 6 ? 1 + length / 4 : length / 3;
    return (struct nearest){ .text = text, .length = length, .distance = most + 1 };
}

void nearest_try(struct nearest *nearest, const char *word, size_t length)
{
    size_t least = length > nearest->length ? length - nearest->length : nearest->length - length;
    if (length > LONGEST || nearest->length > LONGEST || least >= nearest->distance)
        return;
    size_t far = nearest_distance(nearest->text, nearest->length, word, length);
    if (far >= nearest->distance || far >= length)
        return;
    nearest->distance = far;
    nearest->found = word;
    nearest->found_length = length;
}
