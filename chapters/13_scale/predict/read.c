/*
 * read.c: a description, one `key = value` a line. # begins a comment. The first thing that is wrong ends it, with one sentence:
 *
 *     my.run:3: there is no key "laiers"; did you mean layers?
 */
#define _POSIX_C_SOURCE 200809L
#include "predict.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { WHOLE, POSITIVE, SWITCH, WORDS };

#define KEY(name_, kind_, least_, most_) \
    { \
#name_, offsetof(struct description, name_), kind_, least_, most_, NULL \
    }

static const struct key {
    const char *name;
    size_t offset;
    enum kind kind;
    double least, most;
    const char *words; /* separated by blanks: 0, 1, 2 ... */
} keys[] = {
    KEY(layers, WHOLE, 1, 1e4),
    KEY(hidden, WHOLE, 1, 1e6),
    KEY(heads, WHOLE, 1, 1e4),
    KEY(kv_heads, WHOLE, 1, 1e4),
    KEY(ffn, WHOLE, 1, 1e7),
    KEY(glu, SWITCH, 0, 1),
    KEY(vocab, WHOLE, 1, 1e8),
    KEY(seq, WHOLE, 1, 1e8),
    KEY(experts, WHOLE, 1, 1e5),
    KEY(experts_used, WHOLE, 1, 1e4),
    KEY(batch, WHOLE, 1, 1e9),
    KEY(microbatch, WHOLE, 1, 1e6),
    KEY(gpus, WHOLE, 1, 1e7),
    KEY(tp, WHOLE, 1, 1e5),
    KEY(pp, WHOLE, 1, 1e5),
    KEY(dp, WHOLE, 1, 1e7),
    KEY(cp, WHOLE, 1, 1e5),
    KEY(ep, WHOLE, 1, 1e5),
    KEY(interleave, WHOLE, 1, 1e4),
    { "recompute", offsetof(struct description, recompute), WORDS, 0, 0, "none selective full" },
    KEY(sequence_parallel, SWITCH, 0, 1),
    KEY(zero, WHOLE, 0, 3),
    { "type", offsetof(struct description, fp8), WORDS, 0, 0, "bf16 fp8" },
    KEY(flash, SWITCH, 0, 1),
    KEY(causal, SWITCH, 0, 1),
    KEY(fused, SWITCH, 0, 1),
    KEY(peak_tflops, POSITIVE, 0, 1e6),
    KEY(hbm_gbps, POSITIVE, 0, 1e6),
    KEY(memory_gib, POSITIVE, 0, 1e6),
    KEY(nvlink_gbps, POSITIVE, 0, 1e6),
    KEY(nic_gbps, POSITIVE, 0, 1e5),
    KEY(gpus_per_node, WHOLE, 1, 1e5),
    KEY(watts, POSITIVE, 0, 1e5),
    KEY(nics_used, WHOLE, 1, 1e4),
    { "collective", offsetof(struct description, collective), WORDS, 0, 0,
      "all_reduce all_gather reduce_scatter all_to_all broadcast send_recv" },
    KEY(bytes, WHOLE, 1, 1e15),
};

enum { KEYS = sizeof keys / sizeof keys[0] };

static double *place(struct description *d, const struct key *key)
{
    return (double *)((char *)d + key->offset);
}

static int refuse_key(const char *word, char *why, size_t size)
{
    const char *nearest = "machine";
    int best = word_distance(word, nearest);
    for (int i = 0; i < KEYS; i++)
        if (word_distance(word, keys[i].name) < best)
            best = word_distance(word, nearest = keys[i].name);
    snprintf(why, size, "there is no key \"%.40s\"%s%s%s", word,
             best <= 3 ? "; did you mean " : "; predict --help lists the keys", best <= 3 ? nearest : "",
             best <= 3 ? "?" : "");
    return -1;
}

static int read_word(const struct key *key, const char *text, double *value, char *why, size_t size)
{
    char words[100], *rest = NULL;
    snprintf(words, sizeof words, "%s", key->words);
    int number = 0;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest), number++)
        if (strcmp(word, text) == 0) {
            *value = number;
            return 0;
        }
    snprintf(why, size, "%s is \"%.40s\"; it must be one of: %s", key->name, text, key->words);
    return -1;
}

static int read_value(const struct key *key, const char *text, double *value, char *why, size_t size)
{
    char *end;
    if (key->kind == WORDS)
        return read_word(key, text, value, why, size);
    *value = strtod(text, &end);
    bool number = end != text && *end == '\0' && isfinite(*value) && !strpbrk(text, "xXpPnNiI");
    bool right = number && *value >= key->least && *value <= key->most &&
                 (key->kind != POSITIVE || *value > 0) && (key->kind == POSITIVE || *value == floor(*value));
    if (right)
        return 0;
    if (key->kind == SWITCH)
        snprintf(why, size, "%s is \"%.40s\"; it must be 0 or 1", key->name, text);
    else
        snprintf(why, size, "%s is \"%.40s\"; it must be a %snumber %s%g to %g", key->name, text,
                 key->kind == POSITIVE ? "" : "whole ", key->kind == POSITIVE ? "above " : "from ",
                 key->least, key->most);
    return -1;
}

static int read_machine(struct description *d, const char *text, char *why, size_t size)
{
    char names[200];
    const struct machine *found = machine_named(text);
    machine_names(names, sizeof names);
    if (!found) {
        snprintf(why, size, "there is no machine \"%.40s\"; there are %.100s", text, names);
        return -1;
    }
    if (d->has_machine) {
        snprintf(why, size, "machine stands here for the second time");
        return -1;
    }
    d->machine = *found;
    d->has_machine = true;
    return 0;
}

static int read_pair(struct description *d, const char *name, const char *value, char *why, size_t size)
{
    if (strcmp(name, "machine") == 0)
        return read_machine(d, value, why, size);
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].name, name) != 0)
            continue;
        if (*place(d, &keys[i]) != NOT_SAID) {
            snprintf(why, size, "%s stands here for the second time", name);
            return -1;
        }
        return read_value(&keys[i], value, place(d, &keys[i]), why, size);
    }
    return refuse_key(name, why, size);
}

static char *trim(char *text)
{
    text += strspn(text, " \t\r\v\f");
    char *end = text + strlen(text);
    while (end > text && strchr(" \t\r\v\f", end[-1]))
        *--end = '\0';
    return text;
}

static int read_line(struct description *d, char *line, char *why, size_t size)
{
    line[strcspn(line, "#")] = '\0';
    char *name = trim(line), *equals = strchr(name, '=');
    if (*name == '\0')
        return 0;
    if (!equals || equals == name) {
        snprintf(why, size, "\"%.40s\" is no line of the form key = value", name);
        return -1;
    }
    *equals = '\0';
    name = trim(name);
    char *value = trim(equals + 1);
    if (*value == '\0') {
        snprintf(why, size, "nothing stands behind %.40s =", name);
        return -1;
    }
    return read_pair(d, name, value, why, size);
}

/* A sentence stays one line, whatever bytes were in the file. */
static int refuse(char *why, const char *name, int line, char *sentence)
{
    for (char *c = sentence; *c; c++)
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    if (line > 0)
        snprintf(why, WHY, "%.200s:%d: %s", name, line, sentence);
    else
        snprintf(why, WHY, "%.200s: %s", name, sentence);
    return -1;
}

int description_parse(struct description *d, const char *name, const char *text, char *why)
{
    char line[500], sentence[220];
    *d = (struct description){ .has_machine = false };
    for (int i = 0; i < KEYS; i++)
        *place(d, &keys[i]) = NOT_SAID;
    text += strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* some editors begin a file so */
    for (int number = 1; *text; number++) {
        size_t length = strcspn(text, "\n");
        if (length >= sizeof line) {
            snprintf(why, WHY, "%.200s:%d: the line is longer than %zu characters", name, number,
                     sizeof line - 1);
            return -1;
        }
        memcpy(line, text, length);
        line[length] = '\0';
        if (read_line(d, line, sentence, sizeof sentence) != 0)
            return refuse(why, name, number, sentence);
        text += length + (text[length] == '\n');
    }
    return description_complete(d, sentence) == 0 ? 0 : refuse(why, name, 0, sentence);
}

/* A few lines; what is longer than 64 KiB or holds zeros is no description. */
int description_read(struct description *d, const char *path, char *why)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    errno = file ? 0 : errno;
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    int error = errno;
    bool failed = !file || ferror(file);
    if (file)
        fclose(file);
    text[length] = '\0';
    if (failed)
        snprintf(why, WHY, "%.200s cannot be read: %s", path, strerror(error));
    else if (length == sizeof text - 1 || strlen(text) < length)
        snprintf(why, WHY, "%.200s is no description: it is too long, or no text", path);
    else
        return description_parse(d, path, text, why);
    return -1;
}
