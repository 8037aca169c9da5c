/*
 * poll.h: a rank that asks dist_is_completed again and again, while all others wait.
 *
 * It may make another call in the next moment, so it is not stuck, and nothing is decided. But if nothing in the world has changed for
 * some seconds, in which it did little but ask, it is told once where it stands, and who waits for whom. What changes, shows in
 * the bells: whoever brings news to a rank that sleeps rings there.
 */
#ifndef DIAGNOSE_POLL_H
#define DIAGNOSE_POLL_H

#include "../launch/launch.h"

struct polling {
    uint32_t asks;  /* in vain, without another call between, since */
    double since;   /* nothing has changed, */
    double worked;  /* the thread had used so many seconds of processor time then, */
    uint64_t bells; /* and the others' bells had come to this */
    bool told;
};

/* The next of the asks in vain; `first`: the rank's last call was another one. True: it is time to tell. */
bool poll_ask(struct polling *polling, const struct world *world, int rank, bool first);

/* Do all others wait, so that none of them will ever move by itself? Then tell, with what the rank has pinned up. */
void poll_tell(struct polling *polling, const struct world *world, int rank);

#endif
