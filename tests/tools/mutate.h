/* mutate.h: what finds the places for mistakes (mutate_tokens.c, mutate_statements.c), and what makes one (mutate.c). */
#ifndef TOOLS_MUTATE_H
#define TOOLS_MUTATE_H

#include <stdbool.h>
#include <stddef.h>

extern char *text; /* the file */
extern char
    *code; /* the same, with blanks wherever no mistake is made: outside the marks, in comments and strings */

/* A mistake: `length` characters from `at` on become `with`. */
void mistake(size_t at, size_t length, const char *kind, const char *with);

/* Is it a letter, a digit or a line below? The place of the bracket that closes the one at `at`; 0: there is none. */
bool in_word(int c);
size_t closing(size_t at);

/* All mistakes in words, numbers and operators; and all in statements. */
void tokens(void);
void statements(void);

#endif
