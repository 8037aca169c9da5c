/*
 * halving.c: swap halves with a partner far away, then quarters with one nearer, and so on; then all the way back.
 *
 *     step 1   0 <-> 4   1 <-> 5   2 <-> 6   3 <-> 7    half of the tensor each way
 *     step 2   0 <-> 2   1 <-> 3   4 <-> 6   5 <-> 7    a quarter
 *     step 3   0 <-> 1   2 <-> 3   4 <-> 5   6 <-> 7    an eighth: now each rank has an eighth of the result
 *     and the same three steps in the other order, doubling what each rank has
 *
 * Cost, where p is a power of two: 2 log2(p) alpha + 2 (p - 1) / p n beta: the few messages of the tree and the few
 * elements of the ring. For other p: of the first ranks each even one hands all it has to the odd one above it, looks
 * on, and is told at the end: 2 (alpha + n beta) more.
 */
#include "algorithms.h"

#define STEPS 31

/* Ranks that take part are numbered anew, without gaps: that is their place. Gives -1 to those who look on. */
static int halving_place_of(int rank, int extra)
{
    if (rank >= 2 * extra)
        return rank - extra;
    return rank % 2 == 1 ? rank / 2 : -1;
}

static int halving_rank_at(int place, int extra)
{
    return place < extra ? 2 * place + 1 : place + extra;
}

/* Swap with one partner after the other. Each time the half that this rank keeps becomes the whole of the next step. */
static void halving_and_doubling(struct communicator *comm, void *x, int64_t count, int place, int extra)
{
    struct block keep[STEPS], give[STEPS], whole = { 0, count };
    void *inbox = comm_scratch(comm, count - count / 2);
    int steps = 0, power = ring_power(comm->size);

    for (int far = power / 2; far > 0; far /= 2, steps++) {
        struct block low = { whole.begin, whole.count / 2 };
        struct block high = { whole.begin + low.count, whole.count - low.count };
        keep[steps] = place & far ? high : low;
        give[steps] = place & far ? low : high;
        whole = keep[steps];
        int partner = halving_rank_at(place ^ far, extra);
        comm_swap(comm, partner, comm_at(comm, x, give[steps].begin), give[steps].count, partner, inbox,
                  whole.count);
        comm_combine(comm, comm_at(comm, x, whole.begin), inbox, whole.count);
    }
    comm_average(comm, comm_at(comm, x, whole.begin), whole.count);

    for (int far = 1; far < power; far *= 2) {
        struct block mine = keep[--steps], theirs = give[steps];
        int partner = halving_rank_at(place ^ far, extra);
        comm_swap(comm, partner, comm_at(comm, x, mine.begin), mine.count, partner,
                  comm_at(comm, x, theirs.begin), theirs.count);
    }
}

void halving_all_reduce(struct communicator *comm, void *x, int64_t count)
{
    int extra = comm->size - ring_power(comm->size), place = halving_place_of(comm->rank, extra);
    if (place < 0) {
        comm_send(comm, comm->rank + 1, x, count);
        comm_recv(comm, comm->rank + 1, x, count);
        return;
    }
    if (place < extra) {
        void *inbox = comm_scratch(comm, count);
        comm_recv(comm, comm->rank - 1, inbox, count);
        comm_combine(comm, x, inbox, count);
    }
    halving_and_doubling(comm, x, count, place, extra);
    if (place < extra)
        comm_send(comm, comm->rank - 1, x, count);
}
