/* unread.c: a file that is no trace or report: what it is, as far as can be seen, and how to get one. */
#include "json.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

/* A whole one ends with a brace. */
static bool is_cut(const struct json *json)
{
    const char *last = json->end;
    while (last > json->text && strchr(" \n\r\t", last[-1]))
        last--;
    bool begun = last > json->text && json->text[strspn(json->text, " \n\r\t")] == '{';
    return begun && (json->at >= last || last[-1] != '}');
}

void run_say_unread(const struct json *json, const char *kind, const char *variable, char *why, size_t size)
{
    if (!json->text)
        snprintf(why, size, "%.120s", json->why);
    else if (json->end == json->text)
        snprintf(why, size, "it is empty, and so no %s; %s=FILE.json makes a run write one", kind, variable);
    else if (is_cut(json))
        snprintf(why, size, "it is cut off after %td bytes (%.90s); write the %s anew",
                 json->end - json->text, json->why, kind);
    else
        snprintf(why, size, "it is no %s (%.90s); %s=FILE.json makes a run write one", kind, json->why,
                 variable);
}
