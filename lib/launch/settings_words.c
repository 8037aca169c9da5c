/* settings_words.c: the words that a variable may be, the variables that nobody reads, and which one was meant. */
#define _GNU_SOURCE
#include "nearest.h"
#include "settings.h"
#include "../dist_base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What stands behind a colon is not a matter of spelling; and one that begins with a capital is no word to write. */
static void settings_words_add_nearest(struct why *why, const char *const *words, const char *text)
{
    size_t head = strcspn(text, ":");
    struct nearest nearest = nearest_to(text, head);
    for (; *words; words++)
        if (!isupper((unsigned char)**words))
            nearest_try(&nearest, *words, strcspn(*words, ":"));
    if (nearest.found && (nearest.distance > 0 || strncmp(nearest.found, text, head) != 0))
        why_add(why, "; did you mean %.*s%.20s?", (int)nearest.found_length, nearest.found,
                nearest.found[nearest.found_length] == ':' ? text + head : "");
}

int setting_check_word(const struct setting *setting, const char *text, struct why *why)
{
    for (const char *const *word = setting->words; *word; word++)
        if (strcmp(*word, text) == 0 && !strchr(text, ':'))
            return 0;
    if (setting->also && setting->also(text))
        return 0;
    why_say(why, "%s is \"%.40s\"; it must be ", setting->name, text);
    for (int i = 0; setting->words[i]; i++) /* "a, b or c" */
        why_add(why, "%s%s", i == 0 ? "" : setting->words[i + 1] ? ", " : " or ", setting->words[i]);
    if (setting->example)
        why_add(why, ", as in %s", setting->example);
    settings_words_add_nearest(why, setting->words, text);
    return DIST_ERR_ENVIRONMENT;
}

/* ---- variables that look like ours ---------------------------------------------------------------------- */

extern char **environ;

/* Who writes DIST_BACKEND means BACKEND. And a name that does not begin so is others', but for one letter. */
static struct nearest settings_words_nearest_setting(const char *name, size_t length)
{
    size_t prefix = length > 5 && strncasecmp(name, "DIST_", 5) == 0 ? 5 : 0;
    struct nearest nearest = nearest_to(name, length), rest = nearest_to(name + prefix, length - prefix);
    if (strncmp(name, "DIST_", 5) != 0)
        nearest.distance = rest.distance = 2;
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
    if (setting_named(name, length) || (!prefix && !nearest.found))
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
