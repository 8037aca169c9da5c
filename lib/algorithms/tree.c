/*
 * tree.c: ranks in pairs, then pairs of pairs: sums run down a binomial tree to rank 0, the result runs up again.
 *
 *     0 <-- 1    2 <-- 3    4 <-- 5    6 <-- 7      step 1: whoever has bit 0 set sends
 *     0 <------- 2          4 <------- 6            step 2: bit 1
 *     0 <------------------ 4                       step 3: bit 2
 *
 * Cost: 2 log2(p) (alpha + n beta), log2 rounded up. Few messages, but each carries all n elements.
 */
#include "algorithms.h"

static void tree_reduce(struct crew *crew, void *x, int64_t count)
{
    void *inbox = crew_room(crew, count);
    for (int bit = 1; bit < crew->size; bit *= 2) {
        if (crew->rank & bit) {
            crew_send(crew, crew->rank - bit, x, count);
            return;
        }
        if (crew->rank + bit < crew->size) {
            crew_recv(crew, crew->rank + bit, inbox, count);
            crew_combine(crew, x, inbox, count);
        }
    }
}

/* The same tree the other way: each rank receives once, then serves those whom it would have heard. */
void tree_broadcast(struct crew *crew, void *x, int64_t count, int root)
{
    int n = crew->size, me = ring_turn(crew->rank - root, n); /* counted from the root */
    int bit = 1;
    while (bit < n && !(me & bit))
        bit *= 2;
    if (me > 0)
        crew_recv(crew, ring_turn(me - bit + root, n), x, count);
    for (bit /= 2; bit > 0; bit /= 2)
        if (me + bit < n)
            crew_send(crew, ring_turn(me + bit + root, n), x, count);
}

void tree_all_reduce(struct crew *crew, void *x, int64_t count)
{
    tree_reduce(crew, x, count);
    if (crew->rank == 0)
        crew_average(crew, x, count);
    tree_broadcast(crew, x, count, 0);
}
