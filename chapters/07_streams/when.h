/*
 * when.h: when does a send return? Rank 0 sends to rank 1, which comes late, and looks how late it is itself then.
 */
#ifndef WHEN_H
#define WHEN_H

#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>
#include <time.h>

/* Rank 0: did the send of `count` numbers return before the receive was posted, 60 ms later? */
static bool returns_early(int64_t count, int rank)
{
    tensor *x = tensor_full(DIST_F32, 7, count);
    dist_barrier();
    double start = dist_time();
    if (rank == 0)
        dist_send(x, 1);
    bool early = dist_time() - start < 0.03;
    if (rank == 1) {
        nanosleep(&(struct timespec){ .tv_nsec = 60000000 }, NULL);
        dist_recv(x, 0);
    }
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
