/* steps.h: what is done between two barriers of a collective; plans.c puts the steps together. */
#ifndef SHM_STEPS_H
#define SHM_STEPS_H

#include "engine.h"

struct plan_state {
    struct shm_state *shm;
    struct shm_group *g;
    struct dist_work *op;
    uint32_t seq;   /* its number in the group */
    int rank, size; /* for which member; of how many */
    size_t element; /* bytes of one */
    size_t block;   /* bytes of one member's block */
    enum size {
        TINY,
        SMALL,
        SHORT,
        LONG
    } length;      /* where the inputs are: in the contributions, in small slots, in slots, in place */
    size_t volume; /* bytes that one member's work reads and writes, about */
    void (*work)(struct plan_state *c); /* of a long one: a member's part; c->rank says whose */
    bool past;                          /* it outgrows the caches */
};

/* Each has seen a barrier since the one before. In a long plan a rank also does the step of other members. */
typedef void step(struct plan_state *c);
step step_none, step_put, step_put_splits, step_take_roots, step_give_slice_of_root,
    step_take_my_block_of_root, step_take_all, step_give_to_all, step_give_to_root, step_take_my_block_of_all,
    step_reduce_my_block, step_reduce_everything, step_reduce_in_first, step_take_from_first,
    step_reduce_my_slice;

/* parts.c: claim and do parts of the work of a long plan. */
step parts_do;

#endif
