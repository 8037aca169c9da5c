/* json.c: the grammar: one function for each kind of value; strings are in json_string.c. */
#include "json.h"
#include "json_memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool json_wrong(struct json *json, const char *what)
{
    if (!json->why[0])
        snprintf(json->why, sizeof json->why, "byte %td: %s", json->at - json->text, what);
    return false;
}

void json_skip_blanks(struct json *json)
{
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r'))
        json->at++;
}

bool json_take(struct json *json, char c)
{
    json_skip_blanks(json);
    if (json->why[0] || json->at == json->end || *json->at != c)
        return false;
    json->at++;
    return true;
}

/* ---- numbers --------------------------------------------------------------------- */

static size_t skip_digits(struct json *json)
{
    const char *from = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
        json->at++;
    return (size_t)(json->at - from);
}

static bool read_number(struct json *json, struct value *value)
{
    const char *from = json->at;
    json->at += *json->at == '-';
    const char *whole = json->at;
    size_t digits = skip_digits(json);
    bool good = digits == 1 || (digits > 1 && *whole != '0');
    if (good && json->at < json->end && *json->at == '.') {
        json->at++;
        good = skip_digits(json) > 0;
    }
    if (good && json->at < json->end && (*json->at == 'e' || *json->at == 'E')) {
        json->at++;
        if (json->at < json->end && (*json->at == '+' || *json->at == '-'))
            json->at++;
        good = skip_digits(json) > 0;
    }
    if (!good)
        return json_wrong(json, "a value is missing or not written as JSON wants it");
    value->kind = VALUE_NUMBER;
    value->number = strtod(from, NULL);
    return isfinite(value->number) || json_wrong(json, "a number is too large");
}

/* ---- arrays and objects ------------------------------------------------------------ */

bool json_enter(struct json *json, char bracket)
{
    json->started = false;
    if (!json_take(json, bracket))
        return json_wrong(json,
                          bracket == '[' ? "an array should begin here" : "an object should begin here");
    return true;
}

static bool more(struct json *json, char close)
{
    bool first = !json->started;
    if (json->why[0] || json_take(json, close)) {
        json->started = true; /* for the one around it, which has had an item: this one */
        return false;
    }
    json->started = true;
    if (!first && !json_take(json, ','))
        return json_wrong(json, "a comma or a closing bracket is missing");
    return true;
}

bool json_item(struct json *json)
{
    return more(json, ']');
}

bool json_member(struct json *json, const char **name)
{
    if (!more(json, '}'))
        return false;
    *name = json_string(json);
    return *name && (json_take(json, ':') || json_wrong(json, "a colon is missing"));
}

static bool read_list(struct json *json, struct value *list)
{
    bool object = *json->at == '{';
    struct value **link = &list->first;
    const char *name = NULL;
    list->kind = object ? VALUE_OBJECT : VALUE_ARRAY;
    if (++json->depth > JSON_DEPTH)
        return json_wrong(json, "too many brackets inside each other");
    json_enter(json, object ? '{' : '[');
    while (object ? json_member(json, &name) : json_item(json)) {
        *link = json_value(json);
        if (!*link)
            return false;
        (*link)->name = name;
        link = &(*link)->next;
    }
    json->depth--;
    return !json->why[0];
}

static bool read_word(struct json *json, struct value *value)
{
    static const char *const words[] = { "null", "false", "true" };
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(json->end - json->at) >= length && memcmp(json->at, words[i], length) == 0) {
            value->kind = (enum value_kind)i;
            json->at += length;
            return true;
        }
    }
    return read_number(json, value);
}

struct value *json_value(struct json *json)
{
    json_skip_blanks(json);
    if (json->why[0] || json->at == json->end)
        return json_wrong(json, "it ends in the middle"), NULL;
    if (++json->values > JSON_VALUES)
        return json_wrong(json, "one event or report is too large"), NULL;
    struct value *value = json_memory(json, sizeof *value);
    if (!value)
        return NULL;
    *value = (struct value){ 0 };
    bool good;
    if (*json->at == '[' || *json->at == '{') {
        good = read_list(json, value);
    } else if (*json->at == '"') {
        value->kind = VALUE_STRING;
        good = (value->text = json_string(json)) != NULL;
    } else {
        good = read_word(json, value);
    }
    json->started = true; /* whoever walks the array around this value has had an item */
    return good ? value : NULL;
}

bool json_ends(struct json *json)
{
    json_skip_blanks(json);
    return !json->why[0] && (json->at == json->end || json_wrong(json, "something follows after the end"));
}
