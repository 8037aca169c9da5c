/* words.c: how unlike are two words? So a word that is not known gets the nearest one as a suggestion. */
#include "predict.h"

#include <string.h>

/* Letters to change, put in or take out until one word is the other. */
int word_distance(const char *a, const char *b)
{
    int row[64], n = (int)strlen(b);
    if (n > 60)
        return 99;
    for (int j = 0; j <= n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int corner = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            int above = row[j], change = corner + (a[i - 1] != b[j - 1]);
            int other = (above < row[j - 1] ? above : row[j - 1]) + 1;
            row[j] = change < other ? change : other;
            corner = above;
        }
    }
    return row[n];
}
