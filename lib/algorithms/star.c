/*
 * star.c: one rank in the middle, and everybody else talks to it.
 *
 * Cost: (p - 1) (alpha + n beta) for n elements a block: the root sends or receives them all, so no tree could make
 * that part cheaper.
 */
#include "algorithms.h"

void star_scatter(struct crew *crew, void *out, const void *in, int64_t block, int root)
{
    if (crew->rank != root) {
        crew_recv(crew, root, out, block);
        return;
    }
    for (int i = 0; i < crew->size; i++)
        if (i == root)
            crew_copy(crew, out, crew_at(crew, in, i * block), block);
        else
            crew_send(crew, i, crew_at(crew, in, i * block), block);
}

void star_gather(struct crew *crew, void *out, const void *in, int64_t block, int root)
{
    if (crew->rank != root) {
        crew_send(crew, root, in, block);
        return;
    }
    for (int i = 0; i < crew->size; i++)
        if (i == root)
            crew_copy(crew, crew_at(crew, out, i * block), in, block);
        else
            crew_recv(crew, i, crew_at(crew, out, i * block), block);
}
