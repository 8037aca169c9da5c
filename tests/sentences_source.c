/* sentences_source.c: the sentences that a source of the library has in it. */
#include "sentences.h"

#include <stdio.h>
#include <string.h>

#define LONGEST 4000

const char *sentences_read_file(const char *path)
{
    static char text[100000];
    FILE *in = fopen(path, "r");
    if (!in)
        return NULL;
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

static int words_of(const char *piece)
{
    int words = 0;
    for (const char *at = piece; *at; at++)
        words += *at != ' ' && (at[1] == ' ' || at[1] == '\0');
    return words;
}

/* One piece between two values: without its blanks and commas at the ends. */
static int look_at(const char *path, char *piece, int (*look)(const char *path, const char *piece))
{
    size_t length = 0;
    for (const char *at = piece; *at; at++) /* one blank wherever there are more */
        if (*at != ' ' || length == 0 || piece[length - 1] != ' ')
            piece[length++] = *at;
    piece[length] = '\0';
    while (length > 0 && strchr(" ,;:(", piece[length - 1]))
        piece[--length] = '\0';
    piece += strspn(piece, " ,;:)");
    return words_of(piece) < 4 ? 0 : look(path, piece);
}

/* A string of the source, its parts put together. */
static int look_at_all(const char *path, const char *text, int (*look)(const char *path, const char *piece))
{
    int sum = 0;
    char piece[LONGEST];
    size_t length = 0;
    for (const char *at = text;; at++) {
        bool value = *at == '%' && at[1] && at[1] != '%' && at[1] != ' ', line = *at == '\n';
        if (*at && !value && !line) {
            piece[length++] = *at;
            continue;
        }
        piece[length] = '\0';
        sum += look_at(path, piece, look);
        length = 0;
        if (!*at)
            return sum;
        at += value ? 1 + strspn(at + 1, "-.*0123456789lz") : 0;
    }
}

/* The string that begins at `at`, with those that follow it, into `text`. Gives where it ends. */
static const char *read_string(const char *at, char *text)
{
    while (*at == '"') {
        for (at++; *at && *at != '"'; at++) {
            at += *at == '\\';
            *text++ = at[-1] == '\\' && *at == 'n' ? '\n' : *at;
        }
        at++;
        at += strspn(at, " \n");
    }
    *text = '\0';
    return at;
}

/* Comments, names of headers and letters are no sentences. */
static const char *skip(const char *at)
{
    const char *end = strncmp(at, "/*", 2) == 0                ? strstr(at, "*/")
                      : strncmp(at, "//", 2) == 0              ? strchr(at, '\n')
                      : strncmp(at, "#include", 8) == 0        ? strchr(at, '\n')
                      : strncmp(at, "_Static_assert", 14) == 0 ? strchr(at, ';')
                                                               : NULL;
    if (strncmp(at, "'\"'", 3) == 0 || strncmp(at, "'\\\"'", 4) == 0)
        return strchr(at + 3, '\'') && at[1] == '\\' ? at + 4 : at + 3;
    return end ? end + 1 : NULL;
}

int sentences_of_file(const char *path, int (*look)(const char *path, const char *piece))
{
    static char text[LONGEST];
    const char *source = sentences_read_file(path), *beyond;
    int sum = 0;
    for (const char *at = source ? source : ""; *at;) {
        if ((beyond = skip(at))) {
            at = beyond;
        } else if (*at == '"') {
            at = read_string(at, text);
            sum += look_at_all(path, text, look);
        } else {
            at++;
        }
    }
    return sum;
}
