/* json_memory.c: the file as bytes, the memory of what was read, and looking things up in it. */
#include "json_memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES ((size_t)64 << 10)

void *json_memory(struct json *json, size_t bytes)
{
    size_t align = _Alignof(max_align_t);
    bytes = (bytes + align - 1) / align * align;
    struct block *block = json->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block = malloc(sizeof *block + size);
        if (!block)
            return json_wrong(json, "the system gives no memory"), NULL;
        block->next = json->blocks;
        block->used = 0;
        block->size = size;
        json->blocks = block;
    }
    void *memory = (char *)block->bytes + block->used;
    block->used += bytes;
    return memory;
}

void json_forget(struct json *json)
{
    struct block *keep = json->blocks;
    while (keep && keep->next) {
        struct block *next = keep->next;
        free(keep);
        keep = next;
    }
    json->blocks = keep;
    json->values = 0;
    if (keep)
        keep->used = 0;
}

static bool open_text(struct json *json, size_t size)
{
    json->text[size] = 0;
    json->at = json->text;
    json->end = json->text + size;
    return size > 0 || json_wrong(json, "it is empty");
}

bool json_open_bytes(struct json *json, const void *bytes, size_t size)
{
    *json = (struct json){ .text = malloc(size + 1) };
    if (!json->text)
        return snprintf(json->why, sizeof json->why, "the system gives no memory"), false;
    memcpy(json->text, bytes, size);
    return open_text(json, size);
}

/* What the system says, in words of ours where they are plainer. */
static bool explain(struct json *json)
{
    const char *words = errno == EISDIR   ? "it is a folder, and no file"
                        : errno == ENOENT ? "there is no such file"
                                          : strerror(errno);
    free(json->text);
    json->text = NULL;
    return snprintf(json->why, sizeof json->why, "%s", words), false;
}

/* All of a file or a pipe. */
static bool read_all(struct json *json, FILE *file)
{
    size_t size = 0, room = 1 << 16;
    json->text = malloc(room + 1);
    while (json->text) {
        size += fread(json->text + size, 1, room - size, file);
        if (size < room)
            break;
        if (room >= JSON_BYTES)
            return snprintf(json->why, sizeof json->why, "it is larger than 1 GiB"), false;
        char *larger = realloc(json->text, 2 * room + 1);
        if (!larger)
            free(json->text);
        json->text = larger;
        room *= 2;
    }
    if (!json->text)
        return snprintf(json->why, sizeof json->why, "the system gives no memory"), false;
    if (ferror(file))
        return explain(json);
    return open_text(json, size);
}

bool json_open(struct json *json, const char *path)
{
    *json = (struct json){ 0 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return explain(json);
    bool good = read_all(json, file);
    fclose(file);
    return good;
}

void json_close(struct json *json)
{
    json_forget(json);
    free(json->blocks);
    free(json->text);
    json->blocks = NULL;
    json->text = NULL;
}

const struct value *value_member(const struct value *object, const char *name)
{
    if (!object || object->kind != VALUE_OBJECT)
        return NULL;
    const struct value *member = object->first;
    while (member && strcmp(member->name, name) != 0)
        member = member->next;
    return member;
}

long long value_whole(const struct value *object, const char *name, long long low, long long high,
                      long long otherwise)
{
    const struct value *member = value_member(object, name);
    if (!member || member->kind != VALUE_NUMBER || member->number < (double)low ||
        member->number > (double)high)
        return otherwise;
    long long whole = (long long)member->number;
    return (double)whole == member->number ? whole : otherwise;
}

const char *value_text(const struct value *object, const char *name, const char *otherwise)
{
    const struct value *member = value_member(object, name);
    return member && member->kind == VALUE_STRING ? member->text : otherwise;
}
