/* settings_table.h: the table of settings.c, as the files see it that read it. */
#ifndef LAUNCH_SETTINGS_TABLE_H
#define LAUNCH_SETTINGS_TABLE_H

#include "text.h"

#include <stdbool.h>
#include <stddef.h>

enum setting_kind {
    SETTING_WORD,   /* one of `values` */
    SETTING_NUMBER, /* a whole number from `least` to `most` */
    SETTING_FILE,   /* a file that will be written */
    SETTING_OTHER /* checked, if at all, where it is read; or not for users: set by distrun, read by our tests */
};

struct setting {
    const char *name;
    enum setting_kind kind;
    const char *values;             /* words; in capitals what stands for more, which `also` knows */
    bool (*also)(const char *text); /* NULL: nothing else is right */
    const char *example;            /* of that */
    long least, most;
    bool empty; /* may be empty, which is as good as not set */
};

extern const struct setting settings[];
extern const size_t settings_count;

/* settings_words.c: is it one of the values, or else what is to be said after "it must be "? */
bool setting_has_word(const struct setting *setting, const char *text);
void setting_say_words(const struct setting *setting, const char *text, struct why *why);

#endif
