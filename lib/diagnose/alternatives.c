/* alternatives.c: the words for a rank that waits for any of several operations (dist_wait_any). */
#include "diagnose.h"

#include <stdio.h>

#define ALTERNATIVES 3 /* that a sentence names */

/* "the receive from rank 2 (x.c:8)" */
static void say_awaited(struct diagnosis *d, int rank, const struct note_op *op)
{
    char here[80];
    describe_place(d, rank, op->site, here, sizeof here);
    if (in_collective(op))
        say(d, "%s (%s)", call_name((enum call)op->call), here);
    else if (op->peer == DIST_ANY_SOURCE)
        say(d, "the receive from anybody (%s)", here);
    else if (op->peer == rank)
        say(d, "the %s itself (%s)", op->kind == NOTE_RECV ? "receive from" : "send to", here);
    else
        say(d, "the %s rank %d (%s)", op->kind == NOTE_RECV ? "receive from" : "send to", op->peer, here);
}

void say_alternatives(struct diagnosis *d, int rank)
{
    int named = 0, more = 0;
    say(d, "rank %d waits for any of: ", rank);
    for (int i = -1; (i = next_awaited(&d->views[rank], i)) >= 0;) {
        if (named == ALTERNATIVES) {
            more++;
            continue;
        }
        say(d, named++ ? ", " : "");
        say_awaited(d, rank, &d->views[rank].open[i]);
    }
    if (more > 0)
        say(d, ", and %d more", more);
}
