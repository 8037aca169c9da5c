/*
 * settings.h: the variables by which a user sets what the library does. Their names and what they may be stand in one
 * table, in settings.c; whoever reads one asks here.
 *
 * All are looked at once before the first rank starts. A program may set some of them later: so whoever reads one has it
 * checked again, in the same words.
 */
#ifndef LAUNCH_SETTINGS_H
#define LAUNCH_SETTINGS_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

enum setting_kind {
    SETTING_WORD,   /* one of `words` */
    SETTING_NUMBER, /* a whole number from `least` to `most` */
    SETTING_FILE,   /* a file that will be written */
    SETTING_OTHER /* checked, if at all, where it is read; or not for users: set by distrun, read by our tests */
};

struct setting {
    const char *name;
    enum setting_kind kind;
    const char *words[8];           /* up to NULL; one with a colon stands for more, which `also` knows */
    bool (*also)(const char *text); /* NULL: nothing else is right */
    const char *example;            /* of that */
    long least, most;
    bool empty; /* may be empty, which is as good as not set */
};

extern const struct setting settings[];
extern const size_t settings_count;

const struct setting *setting_named(const char *name, size_t length); /* NULL: none is */

/* settings_words.c: is it one of the words? Same status as those below. */
int setting_check_word(const struct setting *setting, const char *text, struct why *why);

/* All of them. 0, or DIST_ERR_ENVIRONMENT with a sentence in `why`. */
int settings_check(struct why *why);

/* One of them. Same status. */
int setting_check(const char *name, struct why *why);

/* Say on stderr which variables look like ours but are read by nobody; once in a process. */
void settings_warn_unknown(void);

/* What it says; NULL: it is not set, or empty. */
const char *setting_text(const char *name);
bool setting_is(const char *name, const char *text);
long setting_number(const char *name, long usual);

/* LATENCY:BANDWIDTH, as DIST_SIM has it. False: it makes no sense. */
bool setting_read_link(const char *text, double *microseconds, double *gigabytes);

/* A whole number in digits, or -1. No sign, no blanks, nothing behind it. */
long setting_whole_number(const char *text);

/* The same; true: it is one from `least` to `most`. And with a status and its sentence: `name` is what the number stands for. */
bool setting_read_number(const char *text, long least, long most, int *number);
int setting_check_number(const char *name, const char *text, long least, long most, int *number,
                         struct why *why);

/* Can a file of that name be written? Leaves it as it is, or absent. Same status; `name`: the variable that names it. */
int setting_check_file(const char *name, const char *path, struct why *why);

/* The process of this id has ended: put away what it was about to write under such names. */
void settings_put_away(long pid);

#endif
