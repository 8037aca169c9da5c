/* collective.h: a collective as it was asked for, in one form for all of them. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "context.h"

/* What a collective was asked for, in one form for all of them. */
struct collective {
    enum call call;
    struct dist_at at;
    dist_group *group;
    bool async;
    tensor *in, *out; /* may be the same */
    int root;         /* a world rank */
    enum dist_op op;
    const int64_t *in_splits, *out_splits; /* how long each block is; NULL: all alike */
    bool begun;                            /* the backend's quick way has begun it, and not ended */
    double timeout;

    /* from the table in collective.c */
    const char *root_name;              /* NULL: this collective has none */
    const char *in_name, *out_name;     /* NULL: this rank has no such tensor */
    bool in_has_blocks, out_has_blocks; /* holds one block for each member */
};

/* A whole call: enter, check, run it or start it. Gives the work of an asynchronous one, else NULL. */
dist_work *collective_call(struct collective *c);

/* Inside a call that was entered: check it and run it to the end. 0, or what report() gave. */
int collective_run(struct context *context, const struct collective *c);

/* collective_splits.c. Does the tensor have as many elements for each of so many members? Do the splits fit both tensors? False: reported.
 * And both lists, one behind the other, in memory that peers can read; NULL: reported. */
bool splits_even(const struct collective *c, const char *name, const tensor *t, int size);
bool splits_check(const struct collective *c, int size);
int64_t *splits_copy(struct context *context, const struct collective *c, int size);

#endif
