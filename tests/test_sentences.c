/*
 * test_sentences.c: is every sentence that the library can say, said by some program of the tests?
 *
 * The sentences are taken from the sources: each string of four words or more, cut where a value is put in. What the lines of
 * sentences_lines.c say is put together, and each piece has to be found there; or it stands in sentences_unsaid.c, with the suite that
 * causes it, or the reason why nothing can here. So a new sentence fails here until somebody has caused it, and read it.
 */
#define _GNU_SOURCE
#include "hurry.h"
#include "sentences.h"
#include "started.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char said[400000];
static bool used[1000]; /* rows of sentences_unsaid */

/* ---- what is said ------------------------------------------------------------------------------------ */

/* Without "[0] ", and with one blank wherever there is any. */
static void keep(const char *text)
{
    size_t length = strlen(said);
    for (const char *at = text; *at && length < sizeof said - 2; at++) {
        bool begins = at == text || at[-1] == '\n';
        if (begins && *at == '[')
            at += strcspn(at, "]") + 1;
        if (!isspace((unsigned char)*at))
            said[length++] = *at;
        else if (length > 0 && said[length - 1] != ' ')
            said[length++] = ' ';
    }
    said[length] = '\0';
}

/* Programs of the tests by their bare names: beside this suite, where it was built with a sanitizer. */
static void set_path(void)
{
    char faulty[600], path[2000], here[600];
    program_path("faulty", faulty, sizeof faulty);
    cr_assert(strchr(faulty, '/'), "make suites builds the programs");
    *strrchr(faulty, '/') = '\0';
    cr_assert(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s:%s/build/bin:%s/build/tests/sentences:%s", faulty, here, here,
             getenv("PATH"));
    setenv("PATH", path, 1);
    cr_assert(system("mkdir -p build/tests/sentences && strip -g -o build/tests/sentences/without_lines "
                     "$(command -v faulty) && "
                     "strip -o build/tests/sentences/without_names $(command -v faulty)") == 0);
}

static void hear_all(void)
{
    static struct started run;
    set_path();
    for (size_t i = 0; i < sentences_line_count; i++) {
        STARTED(&run, SETTINGS("DIST_CHECK=0", "TMPDIR=/nowhere"), "sh", "-c", sentences_lines[i]);
        keep(run.stdout_text);
        keep(run.stderr_raw);
        cr_expect(run.status != -1, "%s does not end: %s", sentences_lines[i], run.stderr_text);
    }
}

/* ---- what can be said -------------------------------------------------------------------------------- */

static int look_for(const char *path, const char *piece)
{
    bool is_said = strstr(said, piece) != NULL;
    for (size_t i = 0; i < sentences_unsaid_count; i++)
        if (strncmp(piece, sentences_unsaid[i].piece, strlen(sentences_unsaid[i].piece)) == 0)
            is_said = used[i] = true;
    if (is_said)
        return 0;
    cr_log_error("%s: nobody says \"%s\"", path, piece);
    return 1;
}

/* A suite has the words that it is said to have, and they are of that sentence or of the one that it is a part of; and no row stands
 * there for nothing. */
static void rows_are_true(void)
{
    char path[100];
    for (size_t i = 0; i < sentences_unsaid_count; i++) {
        const struct unsaid *row = &sentences_unsaid[i];
        cr_expect(used[i], "no source says \"%s\"", row->piece);
        snprintf(path, sizeof path, "tests/%s", row->suite ? row->suite : "");
        const char *suite = row->suite ? sentences_read_file(path) : NULL;
        cr_expect(!row->suite || (suite && strstr(suite, row->why)), "%s does not expect \"%s\"", path,
                  row->why);
    }
}

static int missing;

static int look_through(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    static const char *const no_words[] = { "lib/diagnose/json.c", "lib/trace/line.c",
                                            "lib/backends/mpi/pmi.c" };
    size_t length = strlen(path);
    (void)status;
    (void)place;
    for (size_t i = 0; i < sizeof no_words / sizeof *no_words; i++)
        if (strcmp(path, no_words[i]) == 0)
            return 0;
    if (kind == FTW_F && (strcmp(path + length - 2, ".c") == 0 || strcmp(path + length - 3, ".cc") == 0 ||
                          strcmp(path + length - 6, ".inc.h") == 0))
        missing += sentences_of_file(path, look_for);
    return 0;
}

/* (With a sanitizer the same is said, and some limits of the system are none.) */
Test(sentences, each_is_said_by_some_program, .timeout = 300)
{
    if (SANITIZED)
        cr_skip_test("the same is said with and without a sanitizer");
    hear_all();
    cr_assert(nftw("lib", look_through, 8, FTW_PHYS) == 0);
    rows_are_true();
    cr_assert(missing == 0, "nobody says %d pieces of sentences", missing);
}
