/* unread.c: a file that is no trace or report: what it is, as far as can be seen, and how to get one. */
#include "json.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \n\r\t"

/* A whole one begins with a brace, before a name in quotes, and ends with a brace. */
static bool is_cut(const struct json *json)
{
    const char *last = json->end, *first = json->text + strspn(json->text, BLANKS);
    while (last > json->text && strchr(BLANKS, last[-1]))
        last--;
    if (first >= last || *first != '{')
        return false;
    first += 1 + strspn(first + 1, BLANKS);
    return first >= last || (*first == '"' && (json->at >= last || last[-1] != '}'));
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
