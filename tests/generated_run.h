/* generated_run.h: what a rank has at hand while it carries out its steps. */
#ifndef TESTS_GENERATED_RUN_H
#define TESTS_GENERATED_RUN_H

#include "generated.h"

/* What was made for one step. */
struct slot {
    const struct gen_step *step;
    tensor *in, *out; /* what is sent, what is received; one tensor may be both */
    tensor *whole;    /* the larger one, where `in` or `out` is a slice */
    char *data;       /* of in, else of out: kept from before the start */
    dist_work *work;  /* NULL: nothing to wait for */
};

struct performer {
    const struct gen_program *p;
    int rank, line;
    uint64_t dice; /* for delays */
    bool dawdles;
    dist_group *groups[GEN_GROUPS];
    struct slot slots[GEN_SLOTS];
};

/* The line at which the rank stands, as calls want it. */
struct dist_at run_here(const struct performer *me);

tensor *run_make(struct performer *me, enum dist_type type, int64_t count, int value);

/* generated_calls.c: steps that are calls of dist.h. A batch gives how many steps it took. */
void run_collective(struct performer *me, struct slot *slot);
void run_message(struct performer *me, struct slot *slot);
int run_batch(struct performer *me, const struct gen_step *steps, int most);
void run_wait(struct performer *me, struct slot *slot);
void run_wait_all(struct performer *me);
void run_wait_any(struct performer *me);
void run_poll(struct performer *me);

#endif
