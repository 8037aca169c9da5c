/* crew.c: what the algorithms are made of. */
#include "algorithms.h"
#include "../devices/host.h"

#include <string.h>

void crew_swap(struct crew *crew, int to, const void *out, int64_t out_count, int from, void *in,
               int64_t in_count)
{
    if (crew->status == DIST_OK)
        crew->swap(crew, to, out, out_count, from, in, in_count);
}

void crew_send(struct crew *crew, int to, const void *data, int64_t count)
{
    crew_swap(crew, to, data, count, -1, NULL, -1);
}

void crew_recv(struct crew *crew, int from, void *data, int64_t count)
{
    crew_swap(crew, -1, NULL, -1, from, data, count);
}

void *crew_at(const struct crew *crew, const void *data, int64_t i)
{
    return data ? (char *)data + (size_t)i * dtype_size(crew->type) : NULL;
}

void *crew_room(struct crew *crew, int64_t count)
{
    void *room = crew->status == DIST_OK ? crew->room(crew, count) : NULL;
    if (!room && crew->status == DIST_OK)
        crew->status = DIST_ERR_MEMORY;
    return room;
}

void crew_copy(struct crew *crew, void *to, const void *from, int64_t count)
{
    if (crew->status == DIST_OK && count > 0)
        host_copy(to, from, (size_t)count * dtype_size(crew->type));
}

void crew_combine(struct crew *crew, void *into, const void *from, int64_t count)
{
    const void *both[2] = { into, from };
    if (crew->status == DIST_OK && count > 0)
        host_reduce(into, both, 2, count, crew->type, crew->op == DIST_AVG ? DIST_SUM : crew->op);
}

/* As host_reduce does it: floats in F32 (or F64), integers toward zero. */
static void divide(enum dist_type type, void *data, int64_t i, int by)
{
    if (type == DIST_I64)
        ((int64_t *)data)[i] /= by;
    else if (type == DIST_I32)
        ((int32_t *)data)[i] /= by;
    else if (type == DIST_U8)
        ((uint8_t *)data)[i] = (uint8_t)(((uint8_t *)data)[i] / by);
    else if (type == DIST_F64)
        ((double *)data)[i] /= by;
    else
        dtype_store(type, data, i, (float)dtype_load(type, data, i) / (float)by);
}

void crew_average(struct crew *crew, void *data, int64_t count)
{
    if (crew->op != DIST_AVG || crew->status != DIST_OK)
        return;
    for (int64_t i = 0; i < count; i++)
        divide(crew->type, data, i, crew->size);
}

/* As many bytes more travel as the type is wider; so a sum of F16 is no less right than where one rank adds it all up. */
void crew_all_reduce(struct crew *crew, all_reduce_algorithm *algorithm, void *x, int64_t count)
{
    enum dist_type type = crew->type, wide = dtype_wide(type, crew->op);
    if (wide == type || algorithm == gather_all_reduce) {
        algorithm(crew, x, count);
        return;
    }
    crew->type = wide;
    void *sums = crew_room(crew, count);
    if (sums)
        dtype_convert(wide, sums, type, x, count);
    algorithm(crew, sums, count);
    crew->type = type;
    if (crew->status == DIST_OK)
        dtype_convert(type, x, wide, sums, count);
}

all_reduce_algorithm *algorithm_named(const char *name)
{
    static const struct {
        const char *name;
        all_reduce_algorithm *run;
    } all[] = {
        { "gather", gather_all_reduce },
        { "tree", tree_all_reduce },
        { "ring", ring_all_reduce },
        { "halving", halving_all_reduce },
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].run;
    return NULL;
}
