/*
 * held.c: rank 1 held back, so that a wait shows which no trace can tell from a look.
 *
 *     rank 0    starts 0      starts 1      starts 2              waits
 *                            /             /
 *     rank 1         starts 0      starts 1      starts 2         waits
 *
 * Before it starts its next all-reduce, rank 1 waits until rank 0 is about to start the one after that. So of rank 0's sums none can be
 * over before its next one is started: who waits for it before, by dist_wait or by asking dist_is_completed again and again, waits for
 * ever. Who starts all, and then waits in whatever way, notices nothing.
 */
#include "desk.h"

static struct {
    dist_group *pair; /* of ranks 0 and 1; NULL: nobody is held */
    int me;
    int started, starts; /* all-reduces of this rank, and how many there will be */
} held;

void desk_hold(int rank, int world_size, int starts)
{
    held.pair = world_size > 1 && desk_number("held") > 0 ? dist_new_group((int[]){ 0, 1 }, 2) : NULL;
    held.me = rank;
    held.started = 0;
    held.starts = starts;
}

void desk_held_start(void)
{
    int next = held.started++;
    bool meets = held.pair && ((held.me == 0 && next > 0) || (held.me == 1 && next + 1 < held.starts));
    if (!meets || next >= held.starts)
        return;
    tensor *note = tensor_zeros(DIST_U8, 1);
    dist_all_reduce(note, .group = held.pair);
    tensor_free(note);
}

void desk_hold_end(void)
{
    dist_group_free(held.pair);
    held.pair = NULL;
}
