/* leaks.h: what a rank has left undone when it leaves the job. */
#ifndef LEAKS_H
#define LEAKS_H

#include "context.h"

#define LEAKS_SHOWN 8

/* The lines of the report, collected while the rank leaves. */
struct leaks {
    int count; /* different ones; the first LEAKS_SHOWN have a line, */
    char lines[LEAKS_SHOWN][120];
    int times[LEAKS_SHOWN]; /* and how often they were found */
};

/* Works that were not waited for; a message that nobody took (called by the backend, as launch_self.untaken); tensors
 * and groups that were not freed. */
void leaks_works(struct leaks *leaks, struct context *context);
void leaks_untaken(struct launch_self *self, const struct dist_work *op);
void leaks_memory(struct leaks *leaks, struct context *context);

/* Say it, if there is something to say. */
void leaks_tell(const struct leaks *leaks, const struct context *context);

#endif
