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
    struct line *letters = &room->job->seats[peer].letters;
    bool any = false;
    for (struct dist_work **at = &letters->first, *op; (op = *at);) {
        bool mine = is_mine(room, op), hopeless = mine && has_left(room, peer);
        if (!hopeless) {
            any |= mine;
            at = &op->next;
            continue;
        }
        line_take(letters, at);
        if (room->self->untaken)
            room->self->untaken(room->self, op);
        give_up(room, op);
    }
    return any;
}

static bool has_meetings(const struct cuda_room *room)
{
    for (const struct meeting *meeting = room->job->meetings; meeting; meeting = meeting->next)
        for (int i = 0; i < meeting->size; i++)
            if (is_mine(room, meeting->ops[i]))
                return true;
    return false;
}

static bool is_free(struct cuda_room *room, struct dist_work *unused)
{
    struct cuda_job *job = room->job;
    (void)unused;
    pthread_mutex_lock(&job->lock);
    bool busy = job->seats[room->rank].posted.first || has_meetings(room);
    for (int rank = 0; rank < job->size; rank++)
        busy |= has_letters(room, rank);
    pthread_mutex_unlock(&job->lock);
    return !busy && (!room->stream || room->gpu->device->stream_passed(room->stream));
}

static void empty(struct cuda_room *room, struct line *line)
{
    for (struct dist_work **at = &line->first; *at;) {
        if (is_mine(room, *at))
            give_up(room, line_take(line, at));
        else
            at = &(*at)->next;
    }
}

static void leave_meetings(struct cuda_room *room)
{
    for (struct meeting *meeting = room->job->meetings, *next; meeting; meeting = next) {
        next = meeting->next;
        struct dist_work *mine = NULL;
        for (int i = 0; i < meeting->size && !mine; i++)
            mine = is_mine(room, meeting->ops[i]) ? meeting->ops[i] : NULL;
        if (mine && meet_leave(room->job, mine))
            give_up(room, mine);
    }
}

void leave_job(struct cuda_room *room)
{
    struct cuda_job *job = room->job;
    while (!is_free(room, NULL) && !world_failed(room->world))
        wait_asleep(room, NULL, is_free, NAP);
    pthread_mutex_lock(&job->lock);
    struct seat *seat = &job->seats[room->rank];
    for (int rank = 0; rank < job->size; rank++)
        empty(room, &job->seats[rank].letters);
    empty(room, &seat->posted);
    empty(room, &seat->recvs);
    leave_meetings(room);
    seat->room = NULL;
    pthread_mutex_unlock(&job->lock);
}
