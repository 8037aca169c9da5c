/*
 * when.h: when does a send return? Rank 0 sends to rank 1, which comes late; then they compare their clocks.
 */
#ifndef WHEN_H
#define WHEN_H

#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>
#include <time.h>

/* Did rank 0's send of `count` numbers return before rank 1 called its receive? */
static bool returns_early(int64_t count, int rank)
{
    tensor *x = tensor_full(DIST_F32, 7, count);
    tensor *called = tensor_zeros(DIST_F64, 1); /* when rank 1 did, on the clock that both share */
    double returned = 0;
    dist_barrier();
    if (rank == 0) {
        dist_send(x, 1);
        returned = dist_time();
    } else if (rank == 1) {
        nanosleep(&(struct timespec){ .tv_nsec = 100000000 }, NULL);
        tensor_fill(called, dist_time());
        dist_recv(x, 0);
    }
    dist_broadcast(called, 1);
    bool early = returned < tensor_item(called, 0);
    tensor_free(called);
    tensor_free(x);
    return early;
}

static inline void tell_when(const char *like, int rank)
{
    bool small = returns_early(16, rank), large = returns_early(1 << 20, rank);
    if (rank == 0)
        printf("%-5s  64 bytes: %s   4 MiB: %s\n", like, small ? "at once         " : "when it is taken",
               large ? "at once" : "when it is taken");
}

#endif
