/*
 * cli.h: what the command lines of the drawing programs have in common: how options are read, what is said of a wrong one,
 * and how a file is written, so that there is a whole one or none.
 *
 *     static const struct cli_option options[] = { { "-o", &out, NULL }, { "--time", NULL, &time }, { 0 } };
 *     struct cli cli = { .program = "draw", .help = help, .options = options, .most = 2 };
 *     int status = cli_read(&cli, argc, argv);
 *     if (status >= 0)
 *         return status;
 */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stddef.h>

#define CLI_USAGE 2 /* exit status: the command line makes no sense */
#define CLI_WORDS 4

struct cli_option {
    const char *name;
    const char **word; /* where the word behind it goes; NULL: it has none */
    bool *on;          /* set where it is named; NULL: nobody asks */
};

struct cli {
    const char *program;
    const char *help;                 /* its first line is the usage */
    const struct cli_option *options; /* the last one has no name */
    int least, most;                  /* how many words that are no options */
    const char *words[CLI_WORDS];     /* these */
    int count;
};

/* -1: all is well, go on. Else the exit status; what there is to say was said. */
int cli_read(struct cli *cli, int argc, char **argv);

/* Complain of the command line, or of what went wrong. Both give an exit status. */
int cli_refuse(const struct cli *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_fail(const struct cli *cli, const char *about, const char *sentence);

/* "; did you mean ring?", or "". The words are separated by a comma and a blank. */
const char *cli_meant(const char *text, const char *words, char *out, size_t size);

/* Write a whole file, or leave what is there. `path` NULL: to stdout. `from`: what was read, and is not written over; or NULL. Gives
 * an exit status, after a sentence. */
int cli_write(const struct cli *cli, const char *path, const char *from, const char *text, size_t size);

#endif
