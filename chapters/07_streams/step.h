/*
 * step.h: what in_turn.c and overlap.c have in common: rounds of computing and of summing a tensor over all ranks.
 */
#ifndef STEP_H
#define STEP_H

#define _POSIX_C_SOURCE 200809L
#include "dist.h"

#include <stdlib.h>

enum { ROUNDS = 8, SIZE = 384, SHARED = 256 * 1024 };

struct step {
    tensor *a, *out;  /* computing: out = a * a */
    tensor *gradient; /* 1 MiB, summed over all ranks */
};

/* One round. It must leave the default stream behind both, the computing and the sum. */
typedef void one_round(struct step *s);

/* Milliseconds of a round, on the GPU's clock. */
static inline double measure(one_round *round, struct step *s)
{
    dist_barrier();
    dist_event *begin = dist_event_record();
    for (int i = 0; i < ROUNDS; i++)
        round(s);
    dist_event *end = dist_event_record();
    double seconds = dist_event_elapsed(begin, end);
    dist_event_free(end);
    dist_event_free(begin);
    return seconds / ROUNDS * 1e3;
}

static inline void run_rounds(const char *name, one_round *round, int rank)
{
    dist_init_process_group();
    dist_set_device(DIST_GPU);
    struct step s = { .a = tensor_full(DIST_F32, 0.01, SIZE, SIZE),
                      .out = tensor_zeros(DIST_F32, SIZE, SIZE),
                      .gradient = tensor_full(DIST_F32, 1, SHARED) };
    double time = measure(round, &s);
    if (rank == 0)
        printf("%s: %.2f ms a round\n", name, time);
    tensor_free(s.gradient);
    tensor_free(s.out);
    tensor_free(s.a);
    dist_destroy_process_group();
}

#endif
