/* notes.c: what this rank waits for, written down before it sleeps (launch/note.h). */
#include "cuda.h"
#include "../common/notes.h"

static void cuda_notes_work(struct cuda_state *cuda, const struct dist_work *op)
{
    const struct cuda_group *group = op->group->state;
    bool arrived = !op->p2p && op->step == OP_STARTED;
    notes_add(world_notes(cuda->world, cuda->rank), op, arrived, arrived ? op->phase : group->seq + 1,
              group->members ? world_offset(cuda->world, group->members) : 0);
}

static void cuda_notes_message(struct cuda_state *cuda, const struct dist_work *op)
{
    notes_add_message(world_notes(cuda->world, cuda->rank),
                      (struct note_op){ .type = (uint8_t)op->type,
                                        .group = (uint16_t)op->group->id,
                                        .site = op->site,
                                        .peer = cuda_rank_of(op),
                                        .tag = op->tag,
                                        .count = op->in.count });
}

void cuda_notes_write(void *state, const struct dist_work *waited)
{
    struct cuda_state *cuda = state;
    struct cuda_job *job = cuda->job;
    const struct cuda_rank *own = &job->ranks[cuda->rank];
    notes_clear(world_notes(cuda->world, cuda->rank));
    backoff_lock(&job->lock);
    if (waited && waited->step != OP_GIVEN)
        cuda_notes_work(cuda, waited);
    for (const struct dist_work *op = own->open.first; op; op = op->next)
        if (op != waited && op->step != OP_ASIDE)
            cuda_notes_work(cuda, op);
    for (const struct match *at = own->unexpected.first; at; at = at->next)
        cuda_notes_message(cuda, match_receive(at));
    pthread_mutex_unlock(&job->lock);
}
