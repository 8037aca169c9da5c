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

/* Round a ring: if all neighbours agree, all agree. And where two do not, everybody hears it, as in barrier_spread: else some
 * would go on, and lose those that do not. */
int crew_agree(struct crew *crew, const int64_t *words, int count)
{
    int n = crew->size;
    int64_t differs = 0; /* 1 + the rank that differs from the one before it */
    enum dist_type type = crew->type;
    crew->type = DIST_I64;
    int64_t *mine = crew_room(crew, count), *theirs = crew_room(crew, count);
    crew_copy(crew, mine, words, count);
    crew_copy(crew, theirs, words, count);
    if (n > 1)
        crew_swap(crew, ring_next(crew->rank, n), mine, count, ring_previous(crew->rank, n), theirs, count);
    for (int i = 0; crew->status == DIST_OK && i < count; i++)
        if (mine[i] != theirs[i])
            differs = 1 + crew->rank;
    for (int far = 1; far < n && crew->status == DIST_OK; far *= 2) {
        mine[0] = differs;
        crew_swap(crew, ring_turn(crew->rank + far, n), mine, 1, ring_turn(crew->rank - far, n), theirs, 1);
        if (crew->status == DIST_OK && theirs[0] > differs)
            differs = theirs[0];
    }
    crew->type = type;
    if (crew->status == DIST_OK && differs > 0)
        crew->status = DIST_ERR_MISMATCH;
    return (int)differs - 1;
}
