/*
 * mutate.c: a program with one small mistake in it, for `make gates MUTATE=1`.
 *
 *     mutate FILE         all mistakes that it can make, a line for each: 41:lt_le, 43:out.2
 *     mutate FILE 43:out.2  the file with that one, on standard output
 *
 * Mistakes are made between the marks of the regions only, and never in comments or strings. A name is the line, the kind, and
 * for the second and further ones of a kind in a line a number. Kinds:
 *
 *     more less doubled         a number
 *     index_more                what stands in brackets, plus one
 *     lt_le plus_minus ...      an operator, for its nearest neighbour
 *     not always never          the condition of an if
 *     other                     a word for its opposite: next, previous; true, false; DIST_SUM, DIST_AVG
 *     out twice swap            a statement left out, made twice, or exchanged with the next one
 *
 * Some do not compile; whoever asks leaves these out.
 */
#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *text, *code;
static const char *wanted; /* the mistake to be made; NULL: tell all */
static bool made;

static struct seen {
    int line, count;
    const char *kind;
} seen[4096]; /* names given so far */
static int seen_count;

static int line_of(size_t at)
{
    int line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

/* The how-manieth of its kind in its line. */
static int number_of(int line, const char *kind)
{
    for (int i = 0; i < seen_count; i++)
        if (seen[i].line == line && strcmp(seen[i].kind, kind) == 0)
            return ++seen[i].count;
    if (seen_count < (int)(sizeof seen / sizeof *seen))
        seen[seen_count++] = (struct seen){ line, 1, kind };
    return 1;
}

void mistake(size_t at, size_t length, const char *kind, const char *with)
{
    char name[64];
    int line = line_of(at), number = number_of(line, kind);
    snprintf(name, sizeof name, number > 1 ? "%d:%s.%d" : "%d:%s", line, kind, number);
    if (!wanted)
        puts(name);
    else if (!made && strcmp(name, wanted) == 0) {
        printf("%.*s%s%s", (int)at, text, with, text + at + length);
        made = true;
    }
}

bool in_word(int c)
{
    return isalnum(c) || c == '_';
}

size_t closing(size_t at)
{
    int depth = 0;
    for (size_t i = at; code[i]; i++) {
        depth += strchr("([{", code[i]) != NULL;
        depth -= strchr(")]}", code[i]) != NULL;
        if (depth == 0)
            return i;
    }
    return 0;
}

/* ---- the file ----------------------------------------------------------------------- */

static void blank(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (code[i] != '\n')
            code[i] = ' ';
}

/* Only what stands between the marks stays; they are comments themselves. */
static void find_code(void)
{
    bool inside = false;
    for (size_t i = 0; code[i];) {
        size_t end = i + 1;
        bool comment = strncmp(code + i, "/*", 2) == 0, string = code[i] == '"';
        if (comment) {
            char *close = strstr(text + i, "*/");
            end = close ? (size_t)(close - text) + 2 : strlen(text);
            if (strncmp(text + i,
                        "/* TO"
                        "DO",
                        7) == 0)
                inside = true;
            if (strncmp(text + i,
                        "/* end of TO"
                        "DO",
                        14) == 0)
                inside = false;
        } else if (string) {
            while (text[end] && text[end] != '"')
                end += text[end] == '\\' ? 2 : 1;
            end++;
        }
        if (comment || string || !inside)
            blank(i, end);
        i = end;
    }
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 20, ROOM = 16 }; /* room: tokens look a little ahead */
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    text = calloc(1, MOST), code = calloc(1, MOST);
    if (!file || !text || !code || fread(text, 1, MOST - ROOM, file) == 0) {
        fprintf(stderr, "usage: mutate FILE [MISTAKE]\n");
        return 2;
    }
    fclose(file);
    strcpy(code, text);
    wanted = argc > 2 ? argv[2] : NULL;
    find_code();
    tokens();
    statements();
    return wanted && !made ? 1 : 0;
}
