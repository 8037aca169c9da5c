/*
 * text.h: the text that is learned from, as numbers: every character that occurs in it has one.
 *
 *     "In the beginning God created ..."   -->   26 47 1 53 41 38 1 ...
 *
 * A sample is LENGTH characters, and for each of them the one that follows: that is what the model has to guess.
 */
#ifndef TEXT_H
#define TEXT_H

#include "dist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH = 64, MOST_TEXT = 250000 };

struct text {
    int count, kinds;      /* characters; different ones */
    int letter[MOST_TEXT]; /* the number of each */
    char letters[256];     /* what the numbers stand for, in the order of ASCII */
    int number_of[256];
};

/* Small, quick, and the same numbers on every machine. Marsaglia's xorshift. */
static inline uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* It lies beside this header. */
static inline FILE *text_open(void)
{
    char path[1024];
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, sizeof path, "%.*sgenesis.txt", slash ? (int)(slash + 1 - __FILE__) : 0, __FILE__);
    FILE *file = fopen(path, "r");
    if (file)
        return file;
    fprintf(stderr, "cannot read %s (%s): run the program from the root of the workbook\n", path,
            strerror(errno));
    exit(2);
}

static inline void text_number(struct text *t)
{
    for (int i = 0; i < t->count; i++)
        t->number_of[t->letter[i]] = 1;
    for (int c = 0; c < 256; c++)
        if (t->number_of[c]) {
            t->number_of[c] = t->kinds;
            t->letters[t->kinds++] = (char)c;
        }
    for (int i = 0; i < t->count; i++)
        t->letter[i] = t->number_of[t->letter[i]];
}

/* Lines that begin with # tell where it comes from; they are not learned. Free it with free(). */
static inline struct text *text_read(void)
{
    char line[2000];
    FILE *file = text_open();
    struct text *t = calloc(1, sizeof *t);
    if (!t)
        exit(DIST_ERR_MEMORY);
    while (fgets(line, sizeof line, file))
        for (const char *c = line; *c && line[0] != '#' && t->count < MOST_TEXT; c++)
            t->letter[t->count++] = (unsigned char)*c;
    fclose(file);
    text_number(t);
    return t;
}

/* Where sample i of a step begins: by chance, and the same on every rank. */
static inline const int *text_sample(const struct text *t, int step, int i)
{
    uint32_t seed = 1 + 2654435761U * (uint32_t)(1000 * step + i + 1);
    for (int k = 0; k < 3; k++)
        draw(&seed);
    return t->letter + draw(&seed) % (uint32_t)(t->count - LENGTH - 1);
}

#endif
