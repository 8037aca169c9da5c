/* settings_names.c: variables that look like ours, and that nobody reads. */
#define _GNU_SOURCE
#include "nearest.h"
#include "settings.h"
#include "settings_table.h"

#include <stdio.h>
#include <string.h>

extern char **environ;

static const char *settings_names_known(const char *name, size_t length)
{
    for (size_t i = 0; i < settings_count; i++)
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, name, length) == 0)
            return settings[i].name;
    return NULL;
}

/* Who writes DIST_BACKEND means BACKEND. */
static struct nearest settings_names_nearest_name(const char *name, size_t length)
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

static void settings_names_warn(const char *name, size_t length)
{
    struct nearest nearest = settings_names_nearest_name(name, length);
    bool prefix = strncmp(name, "DIST_", 5) == 0;
    if (settings_names_known(name, length) || (!prefix && (!nearest.found || nearest.distance > 1)))
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
        settings_names_warn(*variable, strcspn(*variable, "="));
    warned = true;
}
