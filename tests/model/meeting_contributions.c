/*
 * meeting_contributions.c: contributions, slots and tensors: what contributions.c and the steps of plans.c touch.
 *
 * This is plain memory, of which order.h says whether anybody else could touch it at the same time. So a step may read all
 * members' at once: no other order of these accesses would show more.
 */
#include "meeting.h"

int contribution_set(const struct turn *t)
{
    return t->step->fault == ONE_CARD ? 0 : t->me->round & 1;
}

static int slot_set(const struct turn *t)
{
    return t->step->fault == ONE_SLOT ? 0 : t->me->round & 1;
}

static uint8_t this_round(const struct turn *t)
{
    return (uint8_t)(t->me->round + 1);
}

/* ---- one place -------------------------------------------------------------------------------- */

static void slot_write(struct turn *t, uint8_t value)
{
    meeting_check(t, order_write(t->order, t->i, PLACE_SLOT(t->i, slot_set(t))),
                  "a slot is written while another may read it");
    t->s->slots[t->i][slot_set(t)] = value;
}

static void slot_read(struct turn *t, int from, uint8_t wanted)
{
    meeting_check(t, order_read(t->order, t->i, PLACE_SLOT(from, slot_set(t))),
                  "a slot is read while its owner may write it");
    meeting_check(t, t->s->slots[from][slot_set(t)] == wanted, "a slot holds something else than it should");
}

static void slice_write(struct turn *t, int owner, int slice, uint8_t value)
{
    meeting_check(t, order_write(t->order, t->i, PLACE_TENSOR(owner, slice)),
                  "a tensor is written while another may touch it");
    t->s->tensors[owner][slice] = value;
}

static void slice_read(struct turn *t, int owner, int slice, uint8_t wanted)
{
    meeting_check(t, order_read(t->order, t->i, PLACE_TENSOR(owner, slice)),
                  "a tensor is read while another may write it");
    meeting_check(t, t->s->tensors[owner][slice] == wanted, "a tensor holds something else than it should");
}

/* ---- before the first barrier ------------------------------------------------------------------ */

void contribution_write(struct turn *t)
{
    meeting_tell(t, "writes its contribution");
    meeting_check(t, order_write(t->order, t->i, PLACE_CONTRIBUTION(t->i, contribution_set(t))),
                  "a contribution is written while another may read it");
    t->s->contributions[t->i][contribution_set(t)] = this_round(t);
    t->s->listens[t->i][contribution_set(t)] = t->listens && t->step->fault != LISTENS_LATE;
}

bool contribution_listens(struct turn *t, int member)
{
    int set = contribution_set(t);
    meeting_check(t, order_read(t->order, t->i, PLACE_CONTRIBUTION(member, set)),
                  "it is read whether a member listens while that may write it");
    return t->s->listens[member][set];
}

void data_write(struct turn *t)
{
    meeting_tell(t, t->kind == LONG ? "fills its tensor" : "fills its slot");
    if (t->kind != LONG)
        slot_write(t, this_round(t));
    for (int slice = 0; t->kind == LONG && slice < t->size; slice++)
        slice_write(t, t->i, slice, this_round(t));
}

/* ---- behind barriers ---------------------------------------------------------------------------- */

void contributions_read(struct turn *t)
{
    meeting_tell(t, "reads all contributions");
    for (int from = 0; from < t->size; from++) {
        meeting_check(t, order_read(t->order, t->i, PLACE_CONTRIBUTION(from, contribution_set(t))),
                      "a contribution is read while its owner may write it");
        meeting_check(t, t->s->contributions[from][contribution_set(t)] == this_round(t),
                      "a member reads the contribution of another collective");
    }
}

/* Behind the first barrier: everybody's slot, its crowd's slots, or a slice of everybody's tensor. */
void work_read(struct turn *t)
{
    int first = t->kind == CROWDS ? t->i : 0;
    int past = t->kind == CROWDS && t->i + CROWD < t->size ? t->i + CROWD : t->size;
    meeting_tell(t, t->kind == LONG    ? "reads the slice of all tensors"
                    : t->kind == SHORT ? "reads all slots"
                                       : "reads the slots of its crowd");
    for (int from = first; from < past; from++)
        if (t->kind == LONG)
            slice_read(t, from, t->me->at, this_round(t));
        else
            slot_read(t, from, this_round(t));
}

void work_write(struct turn *t)
{
    meeting_tell(t, t->kind == LONG ? "writes the slice to all tensors" : "writes the sum into its slot");
    if (t->kind == CROWDS)
        slot_write(t, this_round(t) | SUM);
    for (int to = 0; t->kind == LONG && to < t->size && to < MEMBERS; to++)
        slice_write(t, to, t->me->at, this_round(t) | SUM);
}

/* Behind the second barrier, or the end of all parts. */
void result_read(struct turn *t)
{
    meeting_tell(t, t->kind == LONG ? "reads the result in its tensor" : "reads the slot of each crowd");
    for (int from = 0; t->kind == CROWDS && from < t->size; from += CROWD)
        slot_read(t, from, this_round(t) | SUM);
    for (int slice = 0; t->kind == LONG && slice < t->size; slice++)
        slice_read(t, t->i, slice, this_round(t) | SUM);
}

void tensor_overwrite(struct turn *t)
{
    for (int slice = 0; slice < t->size; slice++)
        slice_write(t, t->i, slice, UINT8_MAX);
}
