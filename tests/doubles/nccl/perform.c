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

/* All inputs, one after the other; or their reduction, with n blocks. */
static char *collect(const struct round *round, int n, size_t bytes, int64_t reduced)
{
    const struct step *first = &round->steps[0];
    const void *in[DOUBLE_RANKS];
    char *all = calloc((size_t)n * (bytes ? bytes : 1), 1);
    for (int i = 0; i < n; i++)
        in[i] = round->steps[script.backwards ? n - 1 - i : i].in;
    if (reduced > 0)
        host_reduce(all, in, n, reduced, type_of(first->type), op_of(first->op));
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
            copy(out, 0, from, block);
        else if (strcmp(name, "ReduceScatter") == 0)
            copy(out, 0, from + mine, block);
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
