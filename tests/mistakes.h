/*
 * mistakes.h: a program of tests/programs that makes one mistake a run, by name, and what must be told of it.
 *
 * The program has a mark on each line that a report must name: a comment at the line's end, "mark" and a name.
 */
#ifndef TESTS_MISTAKES_H
#define TESTS_MISTAKES_H

#include <stddef.h>

/* One run and what must come of it. */
struct mistake {
    const char *name;
    int status;
    const char *begins;   /* how the report begins; NULL: nobody may say anything */
    const char *marks[3]; /* lines that it names */
    const char *words;    /* and these words */
    const char *setting;  /* of the environment; NULL: none */
};

/* Make each, with ranks as processes and as threads; `common` is set for all (NULL: nothing is). Asserts. */
void mistakes_make(const char *program, const char *common, const struct mistake *list, size_t count);

/* One of them, in one of the two ways: DIST_RANKS=... */
void mistakes_make_one(const char *program, const char *common, const struct mistake *expected,
                       const char *mode);

/* The line of the program's source that ends with the mark; 0: there is none. */
int mistakes_line(const char *program, const char *mark);

#endif
