/* refusals.c: a message that did not fit its receive: the receiver writes down why (launch/note.h), and the sender reads it. */
#include "../common/claim.h"
#include "p2p.h"

static uint64_t refusals_name(int src, uint32_t ticket)
{
    return (uint64_t)(src + 1) << 32 | ticket;
}

/* A sender keeps the ticket until it has read this: what stands under the same name is long read. */
void refusals_tell(struct shm_state *shm, struct dist_work *op, int src, const struct envelope *envelope)
{
    const struct site *site = world_site_at(shm->world, src, envelope_site(envelope));
    struct refusal_note *notes = notes_of(shm)->refusals, *note = &notes[shm->refused++ % NOTE_REFUSALS];
    uint64_t name = refusals_name(src, envelope_ticket(envelope));
    struct claim recv = claim_of(op), send = recv;
    send.type = envelope->type;
    send.count = (int64_t)(envelope_bytes(envelope) / dtype_size((enum dist_type)send.type));
    claim_stands(&send, site->file, site->line);
    claims_say_receiver(&op->why, src, &send, &recv);
    for (int i = 0; i < NOTE_REFUSALS; i++)
        if (&notes[i] == note || atomic_load_explicit(&notes[i].name, memory_order_relaxed) == name)
            atomic_store_explicit(&notes[i].name, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release); /* who reads the new words sees that the old name is gone */
    claims_say_sender(&note->words, &send, shm->rank, &recv);
    atomic_store_explicit(&note->name, name, memory_order_release);
}

void refusals_read(const struct shm_state *shm, struct dist_work *op)
{
    const struct refusal_note *notes = world_notes(shm->world, op->peer)->refusals;
    uint64_t name = refusals_name(shm->rank, op->ticket);
    for (int i = 0; i < NOTE_REFUSALS; i++) {
        if (atomic_load_explicit(&notes[i].name, memory_order_acquire) != name)
            continue;
        op->why = notes[i].words;
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&notes[i].name, memory_order_relaxed) == name)
            return;
    }
    why_say(&op->why,
            "rank %d's receive has another count or another type than this message of %lld element%s of %s",
            op->peer, (long long)op->in.count, op->in.count == 1 ? "" : "s", dtype_name(op->type));
}
