/*
 * leave.c: a rank leaves. Its messages are to be taken before, and its collectives to be over, but for those that
 * nobody will come for any more.
 */
#include "cuda.h"

static bool is_mine(const struct cuda_room *room, const struct dist_work *op)
{
    return op && rank_of(op) == room->rank;
}

static bool has_left(const struct cuda_room *room, int rank)
{
    return rank == room->rank || atomic_load(&room->world->header->slots[rank].state) >= RANK_LEFT;
}

static void give_up(struct cuda_room *room, struct dist_work *op)
{
    if (op->sends && op->aside)
        move_forget(op);
    else
        start_given(room->job, op, DIST_ERR_PEER_LOST);
}

/* The messages to this rank, of which some may be mine. True: one of those is still to be taken. */
static bool has_letters(struct cuda_room *room, int peer)
{
    struct match_table *letters = &room->job->seats[peer].letters;
    bool any = false;
    for (struct match *at = letters->first, *next; at; at = next) {
        struct dist_work *op = match_receive(at);
        next = at->next;
        bool mine = is_mine(room, op), hopeless = mine && (has_left(room, peer) || world_over(room->world));
        if (!hopeless) {
            any |= mine;
            continue;
        }
        match_remove(letters, at);
        if (room->self->untaken)
            room->self->untaken(room->self, op);
        give_up(room, op);
    }
    return any;
}

static struct dist_work *mine_of(const struct cuda_room *room, const struct meeting *meeting)
{
    for (int i = 0; i < meeting->size; i++)
        if (is_mine(room, meeting->ops[i]))
            return meeting->ops[i];
    return NULL;
}

/* Has somebody left without having come? */
static bool is_deserted(const struct cuda_room *room, const struct meeting *meeting,
                        const struct dist_group *group)
{
    for (int i = 0; i < meeting->size; i++)
        if (!meeting->came[i] && has_left(room, group->ranks[i]))
            return true;
    return false;
}

/* Leave the meetings that will never be complete, or all. True: there are others with an op of this rank. */
static bool leave_meetings(struct cuda_room *room, bool all)
{
    bool any = false;
    for (struct match *at = room->job->meetings.first, *next; at; at = next) {
        struct meeting *meeting = (struct meeting *)at;
        next = at->next;
        struct dist_work *mine = mine_of(room, meeting);
        if (mine && !all && !is_deserted(room, meeting, mine->group))
            any = true;
        else if (mine && meet_leave(room->job, mine))
            give_up(room, mine);
    }
    return any;
}

static bool is_free(struct cuda_room *room, struct dist_work *unused)
{
    struct cuda_job *job = room->job;
    (void)unused;
    pthread_mutex_lock(&job->lock);
    bool busy = job->seats[room->rank].posted.first;
    busy |= leave_meetings(room, false);
    for (int rank = 0; rank < job->size; rank++)
        busy |= has_letters(room, rank);
    pthread_mutex_unlock(&job->lock);
    return !busy && (!room->stream || room->gpu->device->stream_passed(room->stream));
}

static void empty(struct cuda_room *room, struct match_table *table)
{
    for (struct match *at = table->first, *next; at; at = next) {
        struct dist_work *op = match_receive(at);
        next = at->next;
        if (!is_mine(room, op))
            continue;
        match_remove(table, at);
        give_up(room, op);
    }
}

void cuda_leave(void *state)
{
    struct cuda_room *room = state;
    struct cuda_job *job = room->job;
    while (!is_free(room, NULL) && !world_over(room->world))
        wait_asleep(room, NULL, is_free, NAP);
    pthread_mutex_lock(&job->lock);
    struct seat *seat = &job->seats[room->rank];
    for (int rank = 0; rank < job->size; rank++)
        empty(room, &job->seats[rank].letters);
    while (seat->posted.first)
        give_up(room, queue_take(&seat->posted, &seat->posted.first));
    empty(room, &seat->recvs);
    leave_meetings(room, true);
    pthread_mutex_unlock(&job->lock);
}
