/*
 * conform.h: what every backend must do, in parts. Each part runs inside the ranks of one job (conform_exam.h), whose
 * `given` is a struct conform; all ranks draw the same random numbers, so that they make the same calls.
 */
#ifndef TESTS_CONFORM_H
#define TESTS_CONFORM_H

#include "conform_box.h"

#define CONFORM_BYTES ((1 << 20) + 1) /* the largest message, in bytes; rounded up to elements */
#define CONFORM_COUNTS 6

struct conform {
    struct pool pools[REF_TYPES]; /* long enough for the largest message */
    int rounds;                   /* how often a part with random choices draws them */
    bool sparse;                  /* only a random part of all combinations, where time is short */
    bool any_order;               /* NCCL: reductions need not be in rank order */
};

bool conform_new(struct conform *conform, int ranks, uint64_t seed);
void conform_free(struct conform *conform);

/* 0, 1, 3, 1000 and 2048 elements (of F32: all that fits inside the notes of machines, inside.c) and 1 MiB + 1 byte. */
int64_t conform_count(enum dist_type type, int which);

/* conform_collectives.c: each collective x type x reduction x count x (blocking, async) x (no margin, odd margin, in
 * place), over the world and, at random, over sub-groups with permuted ranks. */
void conform_world(struct exam *exam, int rank, int size);
void conform_groups(struct exam *exam, int rank, int size);

/* conform_p2p.c: each pattern x type x count. */
void conform_p2p(struct exam *exam, int rank, int size);

/* conform_order.c: what p2p promises about order, tags and any-source, and collectives under way together. */
void conform_order(struct exam *exam, int rank, int size);

/* conform_exchanges.c: messages both ways at once, each rank's own posted and waited for in any order. */
void conform_exchanges(struct exam *exam, int rank, int size);

/* conform_bursts.c: many collectives at once; and, on shm, some that use one tensor. */
void conform_bursts(struct exam *exam, int rank, int size);
void conform_chained(struct exam *exam, int rank, int size);

/* conform_progress.c: what was started goes on while every rank computes. */
void conform_progress(struct exam *exam, int rank, int size);

/* ---- shared by the parts -------------------------------------------------------- */

/* One call of one collective, as the caller's rank sees it. */
struct trial {
    struct exam *exam;
    const struct pool *pool;
    enum dist_type type;
    enum dist_op op;
    dist_group *group; /* NULL: the world */
    const int *ranks;  /* group rank -> world rank */
    int n, me, root;   /* size of the group; group ranks */
    int64_t count;     /* elements of the smaller tensor */
    int64_t at;        /* where in the pool the numbers begin */
    int64_t margin;
    bool async, in_place;
    const void *answer; /* the reduction of everybody's numbers from `at` on */
};

/* Every collective by its name; `blocks`: one of its tensors is n x as large as the other. */
struct collective {
    const char *name;
    void (*call)(const struct trial *trial);
    bool reduces, blocks, in_place;
};
extern const struct collective conform_calls[];
extern const int conform_call_count;

#endif
