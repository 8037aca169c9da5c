/*
 * pairs.c: everybody with everybody: in step k a rank sends to the k-th after it and receives from the k-th before it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block, and no rank is ever the target of two.
 */
#include "algorithms.h"
#include "../devices/host.h"

#include <stdlib.h>

static int64_t sum(const int64_t *counts, int many)
{
    int64_t sum = 0;
    for (int i = 0; i < many; i++)
        sum += counts[i];
    return sum;
}

void pairs_all_to_all(struct crew *crew, void *out, const void *in, int64_t block)
{
    int n = crew->size, me = crew->rank;
    crew_copy(crew, crew_at(crew, out, me * block), crew_at(crew, in, me * block), block);
    for (int k = 1; k < n; k++) {
        int to = ring_turn(me + k, n), from = ring_turn(me - k, n);
        crew_swap(crew, to, crew_at(crew, in, to * block), block, from, crew_at(crew, out, from * block),
                  block);
    }
}

void pairs_all_to_all_splits(struct crew *crew, void *out, const void *in, const int64_t *splits)
{
    int n = crew->size, me = crew->rank;
    const int64_t *sends = splits, *takes = splits + n;
    for (int k = 0; k < n; k++) {
        int to = ring_turn(me + k, n), from = ring_turn(me - k, n);
        const void *block = crew_at(crew, in, sum(sends, to));
        void *place = crew_at(crew, out, sum(takes, from));
        if (k == 0)
            crew_copy(crew, place, block, sends[me]);
        else
            crew_swap(crew, to, block, sends[to] ? sends[to] : -1, from, place,
                      takes[from] ? takes[from] : -1);
    }
}

/* Everybody's block for this rank, brought together and combined in the order of the ranks. */
void pairs_reduce_scatter(struct crew *crew, void *out, const void *in, int64_t block)
{
    const void **parts = malloc((size_t)crew->size * sizeof *parts);
    void *all = crew_room(crew, crew->size * block);
    pairs_all_to_all(crew, all, in, block);
    if (!parts)
        crew->status = DIST_ERR_MEMORY;
    for (int i = 0; parts && i < crew->size; i++)
        parts[i] = crew_at(crew, all, i * block);
    if (crew->status == DIST_OK && block > 0)
        host_reduce(out, parts, crew->size, block, crew->type, crew->op);
    free(parts);
}
