/*
 * checkpoint.h: a model's state in a file that is always whole: written aside, then renamed.
 *
 *     state.new   [ header | weights | velocity ]   fsync      what was on its way may be lost
 *         | rename                                             one moment: the old one, or the new one
 *     state       [ header | weights | velocity ]              is never half a file
 */
#ifndef CHECKPOINT_H
#define CHECKPOINT_H

#include "train.h"

#include <fcntl.h>
#include <unistd.h>

struct header {
    char magic[8];
    int64_t step, numbers;
};

static inline struct header header_of(const struct model *m, int64_t step)
{
    return (struct header){ .magic = "digits1", .step = step, .numbers = m->begin[m->parameters] };
}

static inline void give_up(const char *what, const char *path)
{
    fprintf(stderr, "cannot %s %s: %s\n", what, path, strerror(errno));
    exit(2);
}

/* The numbers of a flat tensor without its padding, which depends on the number of ranks. */
static inline void put_numbers(FILE *file, const tensor *t, int64_t numbers)
{
    float *values = calloc((size_t)tensor_numel(t) + 1, sizeof *values);
    tensor_read(t, values);
    fwrite(values, sizeof *values, (size_t)numbers, file);
    free(values);
}

static inline bool get_numbers(FILE *file, tensor *t, int64_t numbers)
{
    float *values = calloc((size_t)tensor_numel(t) + 1, sizeof *values);
    bool whole = fread(values, sizeof *values, (size_t)numbers, file) == (size_t)numbers;
    tensor_write(t, values);
    free(values);
    return whole;
}

/* The name in the folder is on the disk, too, once the folder is. */
static inline void sync_folder(const char *path)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    int fd = open(slash ? folder : ".", O_RDONLY);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* Rank 0 writes; call it on that rank alone. `dies` is for the lesson: it is called when half is written. */
static inline void checkpoint_write(const struct model *m, const char *path, int64_t step, void (*dies)(void))
{
    char aside[1024];
    snprintf(aside, sizeof aside, "%s.new", path);
    FILE *file = fopen(aside, "wb");
    struct header header = header_of(m, step);
    if (!file)
        give_up("write", aside);
    fwrite(&header, sizeof header, 1, file);
    put_numbers(file, m->weights, header.numbers);
    if (dies) {
        fflush(file);
        dies();
    }
    put_numbers(file, m->velocity, header.numbers);
    if (ferror(file) || fflush(file) != 0 || fsync(fileno(file)) != 0 || fclose(file) != 0)
        give_up("write", aside);
    if (rename(aside, path) != 0)
        give_up("rename", aside);
    sync_folder(path);
}

/* Every rank reads, whatever their number is now. Returns the step; 0: there is no file, so all begins. */
static inline int64_t checkpoint_read(struct model *m, const char *path)
{
    FILE *file = fopen(path, "rb");
    struct header found, wanted = header_of(m, 0);
    if (!file && errno == ENOENT)
        return 0;
    if (!file)
        give_up("read", path);
    bool right = fread(&found, sizeof found, 1, file) == 1 &&
                 memcmp(found.magic, wanted.magic, sizeof found.magic) == 0 &&
                 found.numbers == wanted.numbers && get_numbers(file, m->weights, found.numbers) &&
                 get_numbers(file, m->velocity, found.numbers);
    fclose(file);
    if (!right) {
        fprintf(stderr, "%s is no checkpoint of this model: delete it, and all begins anew\n", path);
        exit(2);
    }
    return found.step;
}

#endif
