/* backend.c: what every backend needs. */
#include "backend.h"

#include <stdio.h>

int group_index(const struct dist_group *group, int rank)
{
    for (int i = 0; i < group->size; i++)
        if (group->ranks[i] == rank)
            return i;
    return -1;
}

int backend_failed(const struct world *world, struct why *why)
{
    const struct world_failure *failure = world_failure(world);
    char text[128];
    if (failure->cause[0])
        return why_fail(failure->code, why, "%s", failure->cause);
    if (failure->end == END_SIGNAL)
        snprintf(text, sizeof text, "was ended by signal %d (%s)", failure->code,
                 launch_signal_name(failure->code));
    else if (failure->end == END_EXIT && failure->code < 0)
        snprintf(text, sizeof text, "has ended");
    else if (failure->end == END_EXIT)
        snprintf(text, sizeof text, "ended with exit status %d", failure->code);
    else
        snprintf(text, sizeof text, "has failed with %s", dist_error_name((enum dist_error)failure->code));
    return why_fail(DIST_ERR_PEER_LOST, why, "rank %d %s, and the job cannot go on without it", failure->rank,
                    text);
}

void work_copy_asked(struct dist_work *copy, const struct dist_work *op)
{
    memcpy(copy, op, offsetof(struct dist_work, status));
    memset((char *)copy + offsetof(struct dist_work, status), 0,
           sizeof *copy - offsetof(struct dist_work, status));
    copy->stream = op->stream; /* the reports name it */
}

struct note_op work_note(const struct dist_work *op)
{
    bool root = !op->p2p && call_has_root(op->call);
    return (struct note_op){ .kind = !op->p2p    ? NOTE_COLLECTIVE
                                     : op->sends ? NOTE_SEND
                                                 : NOTE_RECV,
                             .type = (uint8_t)op->type,
                             .call = (uint8_t)op->call,
                             .among = atomic_load_explicit(&op->among, memory_order_relaxed),
                             .group = (uint16_t)op->group->id,
                             .size = (uint16_t)op->group->size,
                             .site = op->site,
                             .peer = root ? op->group->ranks[op->peer] : op->peer,
                             .tag = op->tag,
                             .stream = op->gpu ? op->stream : 0,
                             .count = op->p2p      ? (op->sends ? op->in.count : op->out.count)
                                      : op->splits ? op->in.count
                                                   : op->block };
}
