/*
 * words.h: what stands behind a program's name on the command line. A word that cannot be right ends the program with one sentence.
 *
 *     bool csv = asked_for("csv", count, words);       true for `simulate csv`, false for `simulate`; `simulate cvs` ends it
 *     int64_t steps = whole_number(words[4], 1000);    0: the word is no number from 1 to 1000
 *     alone("survives");                               for programs that start jobs of their own: not under mpirun, distrun, ...
 */
#ifndef WORDS_H
#define WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool asked_for(const char *word, int count, char **words)
{
    bool asked = count == 2 && strcmp(words[1], word) == 0;
    if (count > 1 && !asked) {
        fprintf(stderr, "usage: %s [%s]\n", words[0], word);
        exit(2);
    }
    return asked;
}

static inline int64_t whole_number(const char *word, int64_t most)
{
    char *end;
    long long number = strtoll(word, &end, 10);
    return end != word && *end == '\0' && number >= 1 && number <= most ? number : 0;
}

/* Under a launcher each of its ranks would start jobs, and they would be in each other's way. */
static inline void alone(const char *program)
{
    static const char *const ranks[] = { "RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK" };
    for (int i = 0; i < 3; i++) {
        const char *rank = getenv(ranks[i]);
        if (rank && strcmp(rank, "0") == 0)
            fprintf(stderr, "%s starts its ranks itself: run it without a launcher\n", program);
        if (rank)
            exit(2);
    }
}

#endif
