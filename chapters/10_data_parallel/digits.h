/*
 * digits.h: 1,797 pictures of handwritten digits, read from digits.txt, in an order that every rank can work out by itself.
 *
 *     order   [ 1,536 to learn from, shuffled anew for every epoch | 261 to be tested with ]
 */
#ifndef DIGITS_H
#define DIGITS_H

#include "dist.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 1797, PIXELS = 64, CLASSES = 10 };
enum { BATCH = 64, STEPS = 24, TRAINING = STEPS * BATCH, TESTS = IMAGES - TRAINING };

struct digits {
    float pixels[IMAGES][PIXELS]; /* 0 is white, 1 is black */
    int digit[IMAGES];
    int order[IMAGES]; /* the first TRAINING are learned from */
};

/* Small, quick, and the same numbers on every machine. Marsaglia's xorshift. */
static inline uint32_t draw(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static inline void shuffle(int *order, int count, uint32_t seed)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(draw(&seed) % (uint32_t)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

/* The order of this epoch: it follows from the epoch's number, and from nothing else. */
static inline void digits_shuffle(struct digits *d, int epoch)
{
    for (int i = 0; i < IMAGES; i++)
        d->order[i] = i;
    shuffle(d->order, IMAGES, 1); /* who is tested with */
    shuffle(d->order, TRAINING, 1000 + (uint32_t)epoch);
}

/* A line is 64 pixels, 0 to g, a blank and the digit. False: it is something else. */
static inline bool digits_line(struct digits *d, int i, const char *line)
{
    static const char shades[] = "0123456789abcdefg";
    for (int p = 0; p < PIXELS; p++) {
        const char *shade = line[p] ? strchr(shades, line[p]) : NULL;
        if (!shade)
            return false;
        d->pixels[i][p] = (float)(shade - shades) / 16;
    }
    d->digit[i] = line[PIXELS + 1] - '0';
    return line[PIXELS] == ' ' && d->digit[i] >= 0 && d->digit[i] < CLASSES;
}

/* It lies beside this header. */
static inline FILE *digits_open(char *path, size_t size)
{
    const char *slash = strrchr(__FILE__, '/');
    snprintf(path, size, "%.*sdigits.txt", slash ? (int)(slash + 1 - __FILE__) : 0, __FILE__);
    FILE *file = fopen(path, "r");
    if (file)
        return file;
    fprintf(stderr, "cannot read %s (%s): run the program from the root of the workbook\n", path,
            strerror(errno));
    exit(2);
}

/* Free it with free(). */
static inline struct digits *digits_read(void)
{
    char path[1024], line[200];
    FILE *file = digits_open(path, sizeof path);
    struct digits *d = calloc(1, sizeof *d);
    int i = 0;
    while (d && fgets(line, sizeof line, file))
        if (line[0] != '#' && (i == IMAGES || !digits_line(d, i++, line)))
            i = IMAGES + 1;
    fclose(file);
    if (i != IMAGES) {
        fprintf(stderr, "%s is not the file that it was: digits.sh makes it anew\n", path);
        exit(2);
    }
    digits_shuffle(d, 0);
    return d;
}

#endif
