/* settings_words.c: the words that a variable may be, the variables that nobody reads, and which one was meant. */
#define _GNU_SOURCE
#include "nearest.h"
#include "settings.h"
#include "../dist_base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The words of a list, one after the other: NULL behind the last. */
static const char *settings_words_next_word(const char *values, const char *word, size_t *length)
{
    word = word ? word + *length : values;
    word += *word == '|';
    *length = strcspn(word, "|");
    return *length > 0 ? word : NULL;
}

static bool settings_words_in_list(const char *values, const char *text)
{
    size_t length = 0;
    for (const char *word = NULL; (word = settings_words_next_word(values, word, &length));)
        if (strlen(text) == length && strncmp(word, text, length) == 0 && !isupper((unsigned char)word[0]) &&
            !memchr(word, ':', length))
            return true;
    return false;
}

/* "a, b or c" */
static void settings_words_add_list(struct why *why, const char *values)
{
    size_t length = 0;
    for (const char *word = NULL; (word = settings_words_next_word(values, word, &length));)
        why_add(why, "%s%.*s", word == values ? "" : word[length] ? ", " : " or ", (int)length, word);
}

/* What stands behind a colon is not a matter of spelling. */
static void settings_words_add_nearest(struct why *why, const char *values, const char *text)
{
    size_t length = 0, head = strcspn(text, ":");
    struct nearest nearest = nearest_to(text, head);
    for (const char *word = NULL; (word = settings_words_next_word(values, word, &length));)
        if (!isupper((unsigned char)word[0])) {
            const char *colon = memchr(word, ':', length);
            nearest_try(&nearest, word, colon ? (size_t)(colon - word) : length);
        }
    if (nearest.found && (nearest.distance > 0 || strncmp(nearest.found, text, head) != 0))
        why_add(why, "; did you mean %.*s%.20s?", (int)nearest.found_length, nearest.found,
                nearest.found[nearest.found_length] == ':' ? text + head : "");
}

int setting_check_word(const struct setting *setting, const char *text, struct why *why)
{
    if (settings_words_in_list(setting->values, text) || (setting->also && setting->also(text)))
        return 0;
    why_say(why, "%s is \"%.40s\"; it must be ", setting->name, text);
    settings_words_add_list(why, setting->values);
    if (setting->example)
        why_add(why, ", as in %s", setting->example);
    settings_words_add_nearest(why, setting->values, text);
    return DIST_ERR_ENVIRONMENT;
}

/* ---- variables that look like ours ---------------------------------------------------------------------- */

extern char **environ;

static bool settings_words_is_known(const char *name, size_t length)
{
    for (size_t i = 0; i < settings_count; i++)
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, name, length) == 0)
            return true;
    return false;
}

/* Who writes DIST_BACKEND means BACKEND. */
static struct nearest settings_words_nearest_setting(const char *name, size_t length)
{
    size_t prefix = length > 5 && strncasecmp(name, "DIST_", 5) == 0 ? 5 : 0;
    struct nearest nearest = nearest_to(name, length), rest = nearest_to(name + prefix, length - prefix);
    for (size_t i = 0; i < settings_count; i++) {
        const char *word = settings[i].name;
        if (settings[i].kind == SETTING_OTHER)
            continue;
        if (strncmp(word, "DIST_", 5) == 0)
            nearest_try(&nearest, word, strlen(word));
        else if (prefix)
            nearest_try(&rest, word, strlen(word));
    }
    return rest.found && (!nearest.found || rest.distance < nearest.distance) ? rest : nearest;
}

static void settings_words_warn(const char *name, size_t length)
{
    struct nearest nearest = settings_words_nearest_setting(name, length);
    bool prefix = strncmp(name, "DIST_", 5) == 0;
    if (settings_words_is_known(name, length) || (!prefix && (!nearest.found || nearest.distance > 1)))
        return;
    fprintf(stderr, "nobody reads %.*s; ", length < 60 ? (int)length : 60, name);
    if (nearest.found) {
        fprintf(stderr, "did you mean %s?\n", nearest.found);
        return;
    }
    fputs("the names are", stderr);
    for (size_t i = 0, said = 0; i < settings_count; i++)
        if (settings[i].kind != SETTING_OTHER)
            fprintf(stderr, "%s %s", said++ ? "," : "", settings[i].name);
    fputc('\n', stderr);
}

void settings_warn_unknown(void)
{
    static bool warned;
    for (char **variable = environ; !warned && variable && *variable; variable++)
        settings_words_warn(*variable, strcspn(*variable, "="));
    warned = true;
}
