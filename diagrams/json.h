/*
 * json.h: a strict reader for JSON (RFC 8259) that trusts nothing: depth, size and every byte are checked, and the first
 * thing that is wrong ends it with one sentence.
 *
 * A long array is read item by item, so that a large trace needs the memory of one event:
 *
 *     json_enter(&json, '[');
 *     while (json_item(&json)) {
 *         struct value *value = json_value(&json);
 *         ...
 *         json_forget(&json);
 *     }
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

#define JSON_DEPTH 64                /* arrays and objects inside each other */
#define JSON_VALUES (1u << 20)       /* values in one tree */
#define JSON_BYTES ((size_t)1 << 30) /* in one file */

enum value_kind {
    VALUE_NULL,
    VALUE_FALSE,
    VALUE_TRUE,
    VALUE_NUMBER,
    VALUE_STRING,
    VALUE_ARRAY,
    VALUE_OBJECT
};

/* One value. Items of an array and members of an object form a list. */
struct value {
    enum value_kind kind;
    double number;
    const char *text; /* of a string, as UTF-8 without the byte 0 */
    const char *name; /* of a member */
    struct value *first;
    struct value *next;
};

/* A block of memory that values and texts are cut from. */
struct block {
    struct block *next;
    size_t used, size;
    max_align_t bytes[];
};

/* A reader and what it has read. */
struct json {
    char *text; /* the whole file, ended by a 0 that is not part of it */
    const char *at, *end;
    bool started; /* the array or object that json_item or json_member walks has given an item */
    int depth;
    unsigned values; /* since the last json_forget */
    struct block *blocks;
    char why[160]; /* empty: all is well */
};

/* Read a file. False, with a sentence in json->why: it cannot be read or is too large. */
bool json_open(struct json *json, const char *path);
/* The same for bytes in memory, which are copied. */
bool json_open_bytes(struct json *json, const void *bytes, size_t size);
void json_close(struct json *json);

/* One whole value. NULL: json->why. */
struct value *json_value(struct json *json);
void json_forget(struct json *json);

/* Walk an array ('[') or an object ('{') by hand. item and member give false at its end, or when something is wrong. */
bool json_enter(struct json *json, char bracket);
bool json_item(struct json *json);
bool json_member(struct json *json, const char **name);

/* After the last value nothing may follow. */
bool json_ends(struct json *json);

/* Note what is wrong; the first one stays. Gives false. */
bool json_wrong(struct json *json, const char *what);

/* The member of an object; NULL: there is none, or it is no object. */
const struct value *value_member(const struct value *object, const char *name);

/* A member that is a whole number from low to high, else `otherwise`. */
long long value_whole(const struct value *object, const char *name, long long low, long long high,
                      long long otherwise);
/* A member that is a string, else `otherwise`. */
const char *value_text(const struct value *object, const char *name, const char *otherwise);

#endif
