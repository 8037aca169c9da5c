/* convert.h: the lines of results.tsv, and how text is written so that nothing in it can break the file around it. */
#ifndef CONVERT_H
#define CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One test, as grade_one.sh writes it down. Every text is clean: see clean(). */
struct result {
    char *exercise; /* 03_ring/1_once_round */
    char *number;   /* 03.1 */
    char *title;    /* once round */
    char *test;     /* what comes home */
    int points, max;
    char *status;   /* passed failed refused not_built error touched missing late */
    char *feedback; /* empty if there is none */
    bool passed;
    bool ran; /* it passed or failed; otherwise it never began */
};

struct results {
    struct result *all;
    int count, passed, ran;
    int points, max;
};

/* false: there is no such file, or a line in it is none. */
bool results_read(struct results *results, const char *path);

/* A copy as valid UTF-8 without control characters but tab and newline: what is not becomes U+FFFD. At most so many bytes. */
char *clean(const char *text, size_t length, size_t most);

/* With quotes around it. An attribute is one line of XML, `put_xml` the text between two tags. */
void put_json(FILE *file, const char *text);
void put_csv(FILE *file, const char *text);
void put_attribute(FILE *file, const char *text);
void put_xml(FILE *file, const char *text);

#endif
