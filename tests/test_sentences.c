/*
 * test_sentences.c: is every sentence that a diagnosis can say, said by some program of the tests?
 *
 * The sentences are taken from the sources: each string of four words or more, cut where a value is put in. What the programs of the
 * table say is put together, and each piece has to be found there. So a new sentence fails here until a program causes it.
 */
#define _GNU_SOURCE
#include "started.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED "DIST_CHECK=1"
#define EAGER "DIST_BUFFERING=eager:4096"

#define WITHOUT_LINES "build/tests/sentences_without_lines"
#define WITHOUT_NAMES "build/tests/sentences_without_names"

static const char *const sources[] = { "alternatives", "apart", "cause", "luck", "misuse", "near", "report" };

/* Who says them. */
static const struct {
    const char *program, *name, *setting;
} programs[] = {
    { "faulty", "cross", NULL },
    { "faulty", "ring", NULL },
    { "faulty", "tag", NULL },
    { "faulty", "left", NULL },
    { "faulty", "set", CHECKED },
    { "faulty", "write", CHECKED },
    { "faulty", "read", CHECKED },
    { "faulty", "item", CHECKED },
    { "faulty", "free", CHECKED },
    { "faulty", "reduce", CHECKED },
    { "faulty", "resend", CHECKED },
    { "faulty", "twice", CHECKED },
    { "advice", "wrong-send", NULL },
    { "advice", "wrong-recv", NULL },
    { "advice", "self-recv", NULL },
    { "advice", "self-irecv", NULL },
    { "advice", "self-isend", NULL },
    { "advice", "groups", NULL },
    { "advice", "two-calls", "DIST_ALGORITHM=ring" },
    { "advice", "waits-sends", NULL },
    { "advice", "waits-receives", NULL },
    { "advice", "not-met", NULL },
    { "advice", "small-group", NULL },
    { "anybody", "race", CHECKED },
    { "anybody", "starves", CHECKED },
    { "waiters", "crossed", NULL },
    { "waiters", "self", NULL },
    { "waiters", "leaves", NULL },
    { "waiters", "late", EAGER },
    { "sentences", "receives", NULL },
    { "sentences", "both-ways", NULL },
    { "sentences", "too-many", NULL },
    { "sentences", "any-of", NULL },
    { "sentences", "meant-for-another", NULL },
    { "sentences", "other-group", NULL },
    { "sentences", "crossed-groups", NULL },
    { "sentences", "child", CHECKED },
    { "faulty", "cross", EAGER },
    { "faulty", "cross", "DEVICE=sim" },
    { "faulty", "write", "DEVICE=sim" },
    { WITHOUT_LINES, "write", CHECKED },
    { WITHOUT_NAMES, "write", CHECKED },
};

/* Those that take seconds: there stands which program says them. */
static const struct {
    const char *piece, *suite;
} elsewhere[] = {
    { "wait until that call has returned, or use another tensor", "touches" },
    { "a lock, or a join: another thread is still in that call", "touches" },
};

static char said[200000];

/* What was said, without "[0] ", and with one blank wherever there is any. */
static void keep(const char *text)
{
    size_t used = strlen(said);
    for (const char *at = text; *at && used < sizeof said - 2; at++) {
        bool begins = at == text || at[-1] == '\n';
        if (begins && *at == '[')
            at += strcspn(at, "]") + 1;
        if (!isspace((unsigned char)*at))
            said[used++] = *at;
        else if (used > 0 && said[used - 1] != ' ')
            said[used++] = ' ';
    }
    said[used] = '\0';
}

static void hear_all(void)
{
    static struct started run;
    cr_assert(system("strip -g -o " WITHOUT_LINES " build/tests/programs/faulty && strip -o " WITHOUT_NAMES
                     " build/tests/programs/faulty") == 0);
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const char *setting = programs[i].setting ? programs[i].setting : "DIST_CHECK=0";
        STARTED(&run, SETTINGS(setting, "TMPDIR=/nowhere"), programs[i].program, programs[i].name);
        keep(run.stderr_raw);
    }
}

/* ---- what the sources can say ------------------------------------------------------------------------ */

static int words_of(const char *piece)
{
    int words = 0;
    for (const char *at = piece; *at; at++)
        words += *at != ' ' && (at[1] == ' ' || at[1] == '\0');
    return words;
}

static bool is_elsewhere(const char *piece)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(piece, elsewhere[i].piece) == 0)
            return true;
    return false;
}

/* One piece between two values: without its blanks and commas at the ends. Gives 1 if nobody says it. */
static int look_for(const char *source, char *piece)
{
    size_t length = strlen(piece);
    while (length > 0 && strchr(" ,;:(", piece[length - 1]))
        piece[--length] = '\0';
    piece += strspn(piece, " ,;:)");
    if (words_of(piece) < 4 || is_elsewhere(piece) || strstr(said, piece))
        return 0;
    cr_log_error("%s.c: nobody says \"%s\"", source, piece);
    return 1;
}

/* A string of the source, its parts put together. Gives how many of its pieces nobody says. */
static int look_for_all(const char *source, char *text)
{
    int missing = 0;
    char piece[1000];
    size_t length = 0;
    for (const char *at = text;; at++) {
        bool value = *at == '%' && at[1] != '%', line = *at == '\\' && at[1] == 'n';
        if (*at && !value && !line) {
            piece[length++] = *at;
            continue;
        }
        piece[length] = '\0';
        missing += look_for(source, piece);
        length = 0;
        if (!*at)
            return missing;
        at += value ? 1 + strspn(at + 1, "-.*0123456789lz") : 1;
    }
}

/* All of a file, as a string. */
static char *read_file(const char *path)
{
    static char text[40000];
    FILE *in = fopen(path, "r");
    cr_assert(in, "there is no %s", path);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

/* The string that begins at `at`, with those that follow it, into `text`. Gives where it ends. */
static const char *read_string(const char *at, char *text)
{
    while (*at == '"') {
        for (at++; *at && *at != '"'; at++) {
            *text++ = *at;
            if (*at == '\\')
                *text++ = *++at;
        }
        at++;
        at += strspn(at, " \n");
    }
    *text = '\0';
    return at;
}

static int look_through(const char *source)
{
    static char text[4000];
    char path[100];
    int missing = 0;
    snprintf(path, sizeof path, "lib/diagnose/%s.c", source);
    for (const char *at = read_file(path); *at;) {
        const char *comment = strncmp(at, "/*", 2) == 0 ? strstr(at, "*/") : NULL;
        if (comment) {
            at = comment + 2;
        } else if (*at == '"') {
            at = read_string(at, text);
            missing += look_for_all(source, text);
        } else {
            at++;
        }
    }
    return missing;
}

Test(sentences, each_is_said_by_some_program, .timeout = 120)
{
    int missing = 0;
    hear_all();
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        missing += look_through(sources[i]);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        char path[100];
        snprintf(path, sizeof path, "tests/test_%s.c", elsewhere[i].suite);
        cr_assert(strstr(read_file(path), elsewhere[i].piece), "%s does not expect \"%s\"", path,
                  elsewhere[i].piece);
    }
    cr_assert(missing == 0, "nobody says %d pieces of sentences", missing);
}
