/* cli.c: see cli.h. */
#define _POSIX_C_SOURCE 200809L
#include "cli.h"
#include "../lib/dist.h"
#include "../lib/launch/nearest.h"
#include "../lib/launch/whole.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- sentences ---------------------------------------------------------------------------- */

int cli_refuse(const struct cli *cli, const char *format, ...)
{
    char what[1000];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    fprintf(stderr, "%s: %s", cli->program, what);
    if (what[strlen(what) - 1] == '?') /* who is asked what he meant needs no more */
        fputs("\n", stderr);
    else
        fprintf(stderr, "; %s --help shows what there is\n", cli->program);
    return CLI_USAGE;
}

int cli_fail(const struct cli *cli, const char *about, const char *sentence)
{
    fprintf(stderr, "%s: %s%s%s\n", cli->program, about ? about : "", about ? ": " : "", sentence);
    return EXIT_FAILURE;
}

const char *cli_meant(const char *text, const char *words, char *out, size_t size)
{
    struct nearest nearest = nearest_to(text, strlen(text));
    for (size_t length; *words; words += length + 2 * (words[length] == ',')) {
        length = strcspn(words, ",");
        nearest_try(&nearest, words, length);
    }
    *out = '\0';
    if (nearest.found)
        snprintf(out, size, "; did you mean %.*s?", (int)nearest.found_length, nearest.found);
    return out;
}

/* ---- reading ------------------------------------------------------------------------------ */

static int show_usage(const struct cli *cli)
{
    fprintf(stderr, "%.*s\n", (int)strcspn(cli->help, "\n"), cli->help);
    return CLI_USAGE;
}

static int unknown(const struct cli *cli, const char *option, size_t length)
{
    char name[64], names[512] = "--help, --version", meant[100];
    snprintf(name, sizeof name, "%.*s", (int)length, option);
    for (const struct cli_option *o = cli->options; o->name; o++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s", o->name);
    if (strcmp(name, "--help") == 0 || strcmp(name, "--version") == 0)
        return cli_refuse(cli, "%s takes no word", name);
    return cli_refuse(cli, "there is no option %s%s", name, cli_meant(name, names, meant, sizeof meant));
}

/* The option at argv[*i], with its word: behind it, or behind a = in it. -1: all is well. */
static int read_option(struct cli *cli, int argc, char **argv, int *i)
{
    const char *text = argv[*i];
    bool is_long = strncmp(text, "--", 2) == 0;
    size_t length = is_long ? strcspn(text, "=") : strlen(text);
    const struct cli_option *option = cli->options;
    while (option->name && (strlen(option->name) != length || strncmp(option->name, text, length) != 0))
        option++;
    if (!option->name)
        return unknown(cli, text, length);
    if (option->on)
        *option->on = true;
    if (!option->word)
        return text[length] ? cli_refuse(cli, "%s takes no word", option->name) : -1;
    const char *word = text[length] ? text + length + 1 : argv[*i + 1];
    if (!text[length] && *i + 1 == argc)
        return cli_refuse(cli, "%s stands last, but needs a word after it", option->name);
    *i += !text[length];
    *option->word = word;
    return *word ? -1 : cli_refuse(cli, "what stands after %s is empty", option->name);
}

int cli_read(struct cli *cli, int argc, char **argv)
{
    bool only_words = false;
    int status = -1;
    if (argc <= 1 && cli->least > 0)
        return show_usage(cli);
    for (int i = 1; i < argc && status < 0; i++) {
        if (!only_words && (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0))
            return fputs(cli->help, stdout) < 0 || fflush(stdout) != 0;
        if (!only_words && strcmp(argv[i], "--version") == 0)
            return printf("%s %s\n", cli->program, DIST_VERSION) < 0 || fflush(stdout) != 0;
        if (!only_words && strcmp(argv[i], "--") == 0)
            only_words = true;
        else if (!only_words && argv[i][0] == '-' && argv[i][1])
            status = read_option(cli, argc, argv, &i);
        else if (cli->count == cli->most)
            status = cli_refuse(cli, "\"%.60s\" is one word too many", argv[i]);
        else
            cli->words[cli->count++] = argv[i];
    }
    return status;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Who reads a file and writes over it has lost it. */
static bool is_same_file(const char *path, const char *from)
{
    struct stat a, b;
    return from && stat(path, &a) == 0 && stat(from, &b) == 0 && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static bool put(const char *path, const char *text, size_t size)
{
    struct whole whole;
    FILE *file = whole_open(&whole, path);
    return whole_close(&whole, file && fwrite(text, 1, size, file) == size);
}

int cli_write(const struct cli *cli, const char *path, const char *from, const char *text, size_t size)
{
    char sentence[200];
    signal(SIGXFSZ, SIG_IGN); /* a limit (ulimit -f) is an error like a full disk, and half a file goes */
    if (path && is_same_file(path, from))
        return cli_refuse(cli, "-o names %.200s, the file that is read; name another one", path);
    errno = 0;
    if (path ? put(path, text, size) : fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0)
        return EXIT_SUCCESS;
    snprintf(sentence, sizeof sentence, "cannot be written: %s", strerror(errno));
    return cli_fail(cli, path ? path : "stdout", sentence);
}
