/* notes.c: what this rank waits for, pinned to its door before it sleeps (launch/note.h). */
#include "cuda.h"

static struct note_op *next_note(struct cuda_room *room)
{
    struct rank_notes *notes = world_notes(room->world, room->rank);
    uint32_t count = atomic_load_explicit(&notes->open_count, memory_order_relaxed);
    if (count == NOTE_OPS)
        return NULL;
    atomic_store_explicit(&notes->open_count, count + 1, memory_order_relaxed);
    return &notes->open[count];
}

static bool has_root(enum call call)
{
    return call == CALL_BROADCAST || call == CALL_REDUCE || call == CALL_SCATTER || call == CALL_GATHER;
}

static void note_work(struct cuda_room *room, const struct dist_work *op)
{
    struct note_op *note = next_note(room);
    if (!note)
        return;
    const struct cuda_group *group = op->group->room;
    bool arrived = !op->p2p && op->step == OP_STARTED;
    *note = (struct note_op){ .kind = !op->p2p    ? NOTE_COLLECTIVE
                                      : op->sends ? NOTE_SEND
                                                  : NOTE_RECV,
                              .type = (uint8_t)op->type,
                              .arrived = arrived,
                              .call = (uint8_t)op->call,
                              .group = (uint16_t)op->group->id,
                              .size = (uint16_t)op->group->size,
                              .site = op->site,
                              .peer = op->p2p || !has_root(op->call) ? op->peer : op->group->ranks[op->peer],
                              .tag = op->tag,
                              .seq = arrived ? op->phase : group->seq + 1,
                              .stream = op->gpu ? op->stream : 0,
                              .count = op->p2p ? (op->sends ? op->in.count : op->out.count) : op->block,
                              .members = group->members ? world_offset(room->world, group->members) : 0 };
}

static void note_letter(struct cuda_room *room, const struct dist_work *op)
{
    struct note_op *note = next_note(room);
    if (note)
        *note = (struct note_op){ .kind = NOTE_LETTER,
                                  .type = (uint8_t)op->type,
                                  .group = (uint16_t)op->group->id,
                                  .site = op->site,
                                  .peer = rank_of(op),
                                  .tag = op->tag,
                                  .count = op->in.count };
}

static void note_meetings(struct cuda_room *room, const struct dist_work *waited)
{
    for (const struct meeting *meeting = room->job->meetings; meeting; meeting = meeting->next)
        for (int i = 0; i < meeting->size; i++) {
            const struct dist_work *op = meeting->ops[i];
            if (op && op != waited && rank_of(op) == room->rank)
                note_work(room, op);
        }
}

void notes_pin(struct cuda_room *room, const struct dist_work *waited)
{
    struct cuda_job *job = room->job;
    const struct seat *seat = &job->seats[room->rank];
    atomic_store_explicit(&world_notes(room->world, room->rank)->open_count, 0, memory_order_relaxed);
    pthread_mutex_lock(&job->lock);
    if (waited && waited->step != OP_GIVEN)
        note_work(room, waited);
    for (int rank = 0; rank < job->size; rank++)
        for (const struct dist_work *op = job->seats[rank].letters.first; op; op = op->next)
            if (op != waited && rank_of(op) == room->rank && !op->aside)
                note_work(room, op);
    for (const struct dist_work *op = seat->recvs.first; op; op = op->next)
        if (op != waited)
            note_work(room, op);
    note_meetings(room, waited);
    for (const struct dist_work *op = seat->letters.first; op; op = op->next)
        note_letter(room, op);
    pthread_mutex_unlock(&job->lock);
}
