/* settings_words.c: the words that a variable may be, and the one that was meant. */
#define _GNU_SOURCE
#include "nearest.h"
#include "settings_table.h"

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
static void settings_words_add_list(char *why, size_t why_size, const char *values)
{
    size_t length = 0, used = strlen(why);
    for (const char *word = NULL;
         (word = settings_words_next_word(values, word, &length)) && used < why_size;) {
        const char *between = word == values ? "" : word[length] ? ", " : " or ";
        used += (size_t)snprintf(why + used, why_size - used, "%s%.*s", between, (int)length, word);
    }
}

/* What stands behind a colon is not a matter of spelling. */
static void settings_words_add_nearest(char *why, size_t why_size, const char *values, const char *text)
{
    size_t length = 0, used = strlen(why), head = strcspn(text, ":");
    struct nearest nearest = nearest_to(text, head);
    for (const char *word = NULL; (word = settings_words_next_word(values, word, &length));)
        if (!isupper((unsigned char)word[0])) {
            const char *colon = memchr(word, ':', length);
            nearest_try(&nearest, word, colon ? (size_t)(colon - word) : length);
        }
    if (nearest.found && (nearest.distance > 0 || strncmp(nearest.found, text, head) != 0))
        snprintf(why + used, why_size - used, "; did you mean %.*s%.20s?", (int)nearest.found_length,
                 nearest.found, nearest.found[nearest.found_length] == ':' ? text + head : "");
}

bool setting_has_word(const struct setting *setting, const char *text)
{
    return settings_words_in_list(setting->values, text) || (setting->also && setting->also(text));
}

void setting_say_words(const struct setting *setting, const char *text, char *why, size_t why_size)
{
    snprintf(why, why_size, "%s is \"%.40s\"; it must be ", setting->name, text);
    settings_words_add_list(why, why_size, setting->values);
    size_t used = strlen(why);
    if (setting->example)
        snprintf(why + used, why_size - used, ", as in %s", setting->example);
    settings_words_add_nearest(why, why_size, setting->values, text);
}
