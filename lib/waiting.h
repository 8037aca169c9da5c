/* waiting.h: what waiting for one work and waiting for whichever is first have in common (dist_wait.c, dist_wait_any.c). */
#ifndef WAITING_H
#define WAITING_H

#include "context.h"

/* While several works are waited for, one after another, the backend is told to go on by itself until all are (held). Let go of before a
 * report: a handler may leave by longjmp. */
struct waiting {
    struct context *context;
    enum call call;
    struct dist_at at;
    bool held;
    bool may; /* the work is over, and in another run another one might have been first: dist_wait_any */
};

/* False: it cannot be waited for, which was reported. */
bool wait_check(enum call call, struct dist_at at, const dist_work *work);

/* Wait for one, and give it back: 0, who sent, or what report() gave. */
int wait_for(struct waiting *waiting, dist_work *work);

/* Asked once; it does not block. */
bool wait_is_over(struct context *context, dist_work *work);

#endif
