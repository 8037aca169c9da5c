/* notes.c: what this rank waits for, pinned to its door before it sleeps (launch/note.h). */
#include "cuda.h"
#include "../common/notes.h"

static void note_work(struct cuda_room *room, const struct dist_work *op)
{
    const struct cuda_group *group = op->group->room;
    bool arrived = !op->p2p && op->step == OP_STARTED;
    notes_add(world_notes(room->world, room->rank), op, arrived, arrived ? op->phase : group->seq + 1,
              group->members ? world_offset(room->world, group->members) : 0);
}

static void note_letter(struct cuda_room *room, const struct dist_work *op)
{
    notes_add_message(world_notes(room->world, room->rank),
                      (struct note_op){ .type = (uint8_t)op->type,
                                        .group = (uint16_t)op->group->id,
                                        .site = op->site,
                                        .peer = rank_of(op),
                                        .tag = op->tag,
                                        .count = op->in.count });
}

static void note_meetings(struct cuda_room *room, const struct dist_work *waited)
{
    for (const struct match *at = room->job->meetings.first; at; at = at->next) {
        const struct meeting *meeting = (const struct meeting *)at;
        for (int i = 0; i < meeting->size; i++) {
            const struct dist_work *op = meeting->ops[i];
            if (op && op != waited && rank_of(op) == room->rank)
                note_work(room, op);
        }
    }
}

void notes_pin(struct cuda_room *room, const struct dist_work *waited)
{
    struct cuda_job *job = room->job;
    const struct seat *seat = &job->seats[room->rank];
    notes_clear(world_notes(room->world, room->rank));
    pthread_mutex_lock(&job->lock);
    if (waited && waited->step != OP_GIVEN)
        note_work(room, waited);
    for (int rank = 0; rank < job->size; rank++)
        for (const struct match *at = job->seats[rank].letters.first; at; at = at->next) {
            const struct dist_work *op = match_receive(at);
            if (op != waited && rank_of(op) == room->rank && !op->aside)
                note_work(room, op);
        }
    for (const struct match *at = seat->recvs.first; at; at = at->next)
        if (match_receive(at) != waited)
            note_work(room, match_receive(at));
    note_meetings(room, waited);
    for (const struct match *at = seat->letters.first; at; at = at->next)
        note_letter(room, match_receive(at));
    pthread_mutex_unlock(&job->lock);
}
