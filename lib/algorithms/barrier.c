/*
 * barrier.c: meetings without data.
 *
 * Cost: alpha times log2(p), rounded up: in step k everybody tells the rank 2^k further on. After step k a rank has
 * heard, directly or through others, from the 2^(k + 1) ranks before it.
 */
#include "algorithms.h"

void barrier_spread(struct crew *crew)
{
    int n = crew->size;
    for (int far = 1; far < n; far *= 2)
        crew_swap(crew, ring_turn(crew->rank + far, n), NULL, 0, ring_turn(crew->rank - far, n), NULL, 0);
}

/* Round a ring: if all neighbours agree, all agree. */
void crew_agree(struct crew *crew, const int64_t *words, int count)
{
    enum dist_type type = crew->type;
    crew->type = DIST_I64;
    int64_t *mine = crew_room(crew, count), *theirs = crew_room(crew, count);
    crew_copy(crew, mine, words, count);
    crew_copy(crew, theirs, words, count);
    if (crew->size > 1)
        crew_swap(crew, ring_next(crew->rank, crew->size), mine, count, ring_previous(crew->rank, crew->size),
                  theirs, count);
    for (int i = 0; crew->status == DIST_OK && i < count; i++)
        if (mine[i] != theirs[i])
            crew->status = DIST_ERR_MISMATCH;
    crew->type = type;
}
