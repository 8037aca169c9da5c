/*
 * words.h: what stands behind a program's name on the command line. A word that cannot be right ends the program with one sentence.
 *
 *     bool csv = asked_for("csv", count, words);       true for `simulate csv`, false for `simulate`; `simulate cvs` ends it
 *     int64_t steps = whole_number(words[4], 1000);    0: the word is no number from 1 to 1000
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

#endif
