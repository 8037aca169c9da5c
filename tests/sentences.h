/* sentences.h: the tables of test_sentences.c: who says which sentence of the library. */
#ifndef TESTS_SENTENCES_H
#define TESTS_SENTENCES_H

#include <stdbool.h>
#include <stddef.h>

/* Command lines, as a shell takes them. */
extern const char *const sentences_lines[];
extern const size_t sentences_line_count;

/* What none of them says. `piece`: it, or how it begins. */
struct unsaid {
    const char *piece;
    const char *suite; /* the file of tests/ that causes it; NULL: nothing can here */
    const char
        *why; /* it cannot; or words that the suite expects, of it or of the sentence that it is a part of */
};
extern const struct unsaid sentences_unsaid[];
extern const size_t sentences_unsaid_count;

/* Each piece of a sentence that a source can print, of four words or more and without what is put in, goes to `look`. Gives the sum of
 * what that gives. */
int sentences_of_file(const char *path, int (*look)(const char *path, const char *piece));

/* All of a file; NULL: there is none. The next call overwrites it. */
const char *sentences_read_file(const char *path);

#endif
