/* perform.c: what a collective does when all have come. */
#include "double.h"
#include "../../../lib/devices/host.h"

#include <stdlib.h>
#include <string.h>

enum dist_type type_of(ncclDataType_t type)
{
    static const enum dist_type types[] = {
        [ncclUint8] = DIST_U8,      [ncclInt32] = DIST_I32,   [ncclInt64] = DIST_I64,
        [ncclFloat16] = DIST_F16,   [ncclFloat32] = DIST_F32, [ncclFloat64] = DIST_F64,
        [ncclBfloat16] = DIST_BF16,
    };
    return types[type];
}

static enum dist_op op_of(ncclRedOp_t op)
{
    static const enum dist_op ops[] = { DIST_SUM, DIST_PRODUCT, DIST_MAX, DIST_MIN, DIST_AVG };
    return ops[op];
}

static void copy(void *to, size_t offset, const void *from, size_t bytes)
{
    if (to && bytes > 0)
        memmove((char *)to + offset, from, bytes);
}

#define DIVIDE(element) \
    for (int64_t i = 0; i < count; i++) \
    ((element *)sums)[i] = (element)(((element *)sums)[i] / n)

/* NCCL's average of integers is their sum as it has wrapped in their type, divided. */
static void reduce(void *sums, const void *const *in, int n, int64_t count, enum dist_type type,
                   enum dist_op op)
{
    bool whole = type == DIST_U8 || type == DIST_I32 || type == DIST_I64;
    host_reduce(sums, in, n, count, type, whole && op == DIST_AVG ? DIST_SUM : op);
    if (!whole || op != DIST_AVG)
        return;
    if (type == DIST_U8)
        DIVIDE(uint8_t);
    else if (type == DIST_I32)
        DIVIDE(int32_t);
    else
        DIVIDE(int64_t);
}

/* So many bytes of a result NCCL writes. Of one rank it averages floats by a kernel that gives each of at most 32 blocks as many whole
 * packs of 16 bytes, of a count that is rounded down first: what is left over it forgets (NCCL 2.28.3). */
static size_t written_of(const struct step *step, size_t bytes)
{
    enum dist_type type = type_of(step->type);
    bool floats = type != DIST_U8 && type != DIST_I32 && type != DIST_I64;
    size_t size = dtype_size(type), blocks = (bytes + 16383) / 16384, pack = 16 / size;
    if (step->comm->size > 1 || op_of(step->op) != DIST_AVG || !floats || bytes == 0)
        return bytes;
    blocks = blocks < 32 ? blocks : 32;
    size_t each = (bytes / size / blocks + pack - 1) / pack * pack, all = each * blocks * size;
    return all < bytes ? all : bytes;
}

/* All inputs, one after the other; or their reduction, with n blocks. */
static char *collect(const struct round *round, int n, size_t bytes, int64_t reduced)
{
    const struct step *first = &round->steps[0];
    const void *in[DOUBLE_RANKS];
    char *all = calloc((size_t)n * (bytes ? bytes : 1), 1);
    for (int i = 0; i < n; i++)
        in[i] = round->steps[script.backwards ? n - 1 - i : i].in;
    if (reduced > 0)
        reduce(all, in, n, reduced, type_of(first->type), op_of(first->op));
    for (int i = 0; reduced == 0 && i < n; i++)
        copy(all, (size_t)i * bytes, round->steps[i].in, round->steps[i].in ? bytes : 0);
    return all;
}

void double_perform(const struct round *round)
{
    const struct step *s = round->steps;
    const char *name = s->name;
    int n = s->comm->size;
    size_t block = s->count * dtype_size(type_of(s->type)), all = (size_t)n * block;
    int64_t count = (int64_t)s->count;
    char *from;
    if (strcmp(name, "AllReduce") == 0 || strcmp(name, "Reduce") == 0)
        from = collect(round, n, block, count);
    else if (strcmp(name, "ReduceScatter") == 0)
        from = collect(round, n, block, n * count);
    else if (strcmp(name, "AlltoAll") == 0 || strcmp(name, "Scatter") == 0)
        from = collect(round, n, all, 0);
    else
        from = collect(round, n, block, 0);
    for (int i = 0; i < n; i++) {
        void *out = round->steps[i].out;
        size_t mine = (size_t)i * block;
        if (strcmp(name, "AllReduce") == 0 || (strcmp(name, "Reduce") == 0 && i == s->peer))
            copy(out, 0, from, written_of(s, block));
        else if (strcmp(name, "ReduceScatter") == 0)
            copy(out, 0, from + mine, written_of(s, block));
        else if (strcmp(name, "Broadcast") == 0)
            copy(out, 0, from + (size_t)s->peer * block, block);
        else if (strcmp(name, "Scatter") == 0)
            copy(out, 0, from + (size_t)s->peer * all + mine, block);
        else if (strcmp(name, "AllGather") == 0 || (strcmp(name, "Gather") == 0 && i == s->peer))
            copy(out, 0, from, all);
        for (int j = 0; strcmp(name, "AlltoAll") == 0 && j < n; j++)
            copy(out, (size_t)j * block, from + (size_t)j * all + mine, block);
    }
    free(from);
}
