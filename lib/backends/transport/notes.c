/* notes.c: what this rank waits for, noted before it sleeps (launch/note.h). */
#include "state.h"
#include "../common/notes.h"

static void notes_op(struct transport_state *state, const struct dist_work *op)
{
    notes_add(state->notes, op, true, op->phase);
}

static void notes_queue(struct transport_state *state, const struct op_queue *queue,
                        const struct dist_work *waited, bool first)
{
    for (const struct dist_work *op = queue->first; op && !notes_full(state->notes); op = op->next)
        if ((op == waited) == first && op->step != STEP_ASIDE)
            notes_op(state, op);
}

void transport_notes_write(struct transport_state *state, const struct dist_work *waited)
{
    notes_clear(state->notes);
    for (int first = 1; first >= 0; first--) {
        notes_queue(state, &state->members, waited, first);
        notes_queue(state, &state->sends, waited, first);
        for (const struct match *at = state->posted.first; at && !notes_full(state->notes); at = at->next)
            if ((match_receive(at) == waited) == first)
                notes_op(state, match_receive(at));
    }
    for (const struct match *at = state->unexpected.first; at && !notes_full(state->notes); at = at->next) {
        const struct unexpected *unexpected = (const struct unexpected *)at;
        notes_add_claim(state->notes, &unexpected->wire.claim, unexpected->from, unexpected->wire.site);
    }
}
