/* collective.h: a collective as it was asked for, in one form for all of them. */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "context.h"

struct collective {
    enum call call;
    struct dist_at at;
    dist_group *group;
    bool async;
    tensor *in, *out; /* may be the same */
    int root;         /* a world rank, */
    int place;        /* and which of the group that is: from collective_check */
    enum dist_op op;
    const int64_t *in_splits, *out_splits; /* how long each block is; NULL: all alike */
    bool begun;                            /* the backend's quick way has begun it, and not ended */
    double timeout;
    int result; /* from the call: 0, or what report() gave */

    /* from the table in dist_collectives.c */
    const char *root_name;              /* NULL: this collective has none */
    const char *in_name, *out_name;     /* NULL: this rank has no such tensor, and in or out is NULL */
    bool in_has_blocks, out_has_blocks; /* holds one block for each member */
};

/* Is it a reduction? False: reported. */
bool collective_check_op(enum call call, struct dist_at at, enum dist_op op);

/* collective.c. The group of a collective with which all is well. NULL: reported; no work is made before, since a handler may leave by
 * longjmp. */
struct dist_group *collective_check(struct context *context, struct collective *c);

#endif
