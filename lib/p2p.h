/* p2p.h: a send or a receive as it was asked for. */
#ifndef P2P_H
#define P2P_H

#include "context.h"

struct p2p {
    enum call call; /* as reports name it */
    bool sends;
    struct dist_at at;
    tensor *tensor;
    int peer;
    int tag;
    dist_group *group;
};

/* A blocking call, to be done with an op; `call` says which. `begun`: the quick way has sent it already. */
int p2p_blocking(struct p2p *ask, enum call call, bool begun);

#endif
