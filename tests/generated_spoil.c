/*
 * generated_spoil.c: the one event that is wrong, and what must come of it.
 *
 * The label has to be true, so: messages of a wrong event have a tag that no other has, and nothing can take their
 * place. After it, ranks that have no part in it may do something among themselves; then all meet in a
 * collective (where everybody waits for those that are stuck), or all leave.
 */
#define _GNU_SOURCE
#include "generated_spoil.h"

#include <stdlib.h>
#include <time.h>

struct gen_step spoil_as(struct gen_step step, enum gen_op op, int peer)
{
    step.op = op;
    step.peer = peer;
    return step;
}

struct gen_step spoil_message(struct gen_program *p)
{
    struct gen_step m = gen_message(p);
    m.tag = 5000 + p->events;
    m.count = p->where.eager ? 20000 : m.count;
    return m;
}

/* All ranks in random order. */
void spoil_draw(struct gen_program *p, int *ranks)
{
    for (int i = 0; i < p->size; i++) {
        int j = gen_dice(p, i + 1);
        ranks[i] = ranks[j];
        ranks[j] = i;
    }
}

void spoil_label(struct gen_program *p, int status, int named, int one, int two)
{
    p->status = status;
    p->named = named;
    p->guilty[0] = one;
    p->guilty[1] = two;
}

/* Send or receive: blocking, or started and waited for at once, or started and waited for at the end. */
int spoil_transfer(struct gen_program *p, int rank, struct gen_step m, bool sends, bool may_leave_open)
{
    int way = gen_dice(p, may_leave_open ? 3 : 2);
    m.op = sends ? (way == 0 ? GEN_SEND : GEN_ISEND) : (way == 0 ? GEN_RECV : GEN_IRECV);
    int line = gen_start(p, rank, m);
    if (way == 1)
        gen_add(p, rank, (struct gen_step){ .op = GEN_WAIT, .slot = p->slot_count[rank] - 1 });
    return line;
}

/* What comes after: the others go about their business, then all meet and go on together. */
void spoil_go_on(struct gen_program *p, unsigned stuck, bool meet)
{
    gen_events(p, GEN_ALL(p) & ~stuck, gen_dice(p, 4));
    if (!meet)
        return;
    struct gen_step step = gen_collective(p, 0, true);
    step.async = false;
    gen_collective_by_all(p, step);
    gen_events(p, GEN_ALL(p), gen_dice(p, 3));
}

/* ---- the table ------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    int smallest; /* the fewest ranks that can make this mistake */
    void (*spoil)(struct gen_program *p);
} faults[FAULT_COUNT] = {
    [FAULT_NONE] = { "none", 2, NULL },
    [FAULT_CROSSED_SENDS] = { "crossed sends", 2, spoil_crossed_sends },
    [FAULT_RING_OF_SENDS] = { "ring of sends", 3, spoil_ring_of_sends },
    [FAULT_RING_OF_RECEIVES] = { "ring of receives", 2, spoil_ring_of_receives },
    [FAULT_SEND_TO_SELF] = { "message to oneself", 2, spoil_send_to_self },
    [FAULT_WRONG_PEER] = { "wrong peer", 3, spoil_wrong_peer },
    [FAULT_WRONG_TAG] = { "wrong tag", 2, spoil_wrong_tag },
    [FAULT_WRONG_GROUP] = { "wrong group", 2, spoil_wrong_group },
    [FAULT_WRONG_SIZE] = { "wrong size", 2, spoil_wrong_size },
    [FAULT_WRONG_TYPE] = { "wrong type", 2, spoil_wrong_type },
    [FAULT_COLLECTIVE_MISSING] = { "collective missing", 2, spoil_collective_missing },
    [FAULT_COLLECTIVE_ORDER] = { "collective order", 2, spoil_collective_order },
    [FAULT_COLLECTIVE_GROUP] = { "collective's group", 2, spoil_collective_group },
    [FAULT_OTHER_COLLECTIVE] = { "other collective", 2, spoil_other_collective },
    [FAULT_OTHER_ROOT] = { "other root", 2, spoil_other_root },
    [FAULT_OTHER_REDUCTION] = { "other reduction", 2, spoil_other_reduction },
    [FAULT_OTHER_COUNT] = { "other count", 2, spoil_other_count },
    [FAULT_OTHER_TYPE] = { "other type", 2, spoil_other_type },
    [FAULT_RANK_HAS_LEFT] = { "rank has left", 2, spoil_rank_has_left },
    [FAULT_NO_SENDER] = { "anybody, and no sender", 2, spoil_no_sender },
    [FAULT_ANYBODY_TAG] = { "anybody, wrong tag", 2, spoil_anybody_tag },
    [FAULT_ANY_OF_NONE] = { "any of several, none", 3, spoil_any_of_none },
    [FAULT_ANYBODY_GROUP] = { "anybody, other group", 2, spoil_anybody_group },
    [FAULT_LATER_ROUND] = { "only in a later round", 2, spoil_later_round },
    [FAULT_LUCK_OF_BUFFERS] = { "right by buffers only", 2, spoil_luck_of_buffers },
    [FAULT_LUCK_OF_ORDER] = { "right by order only", 3, spoil_luck_of_order },
    [FAULT_WRITE_WHILE_SENDING] = { "write while sending", 2, spoil_write_while_sending },
    [FAULT_READ_TOO_EARLY] = { "read too early", 2, spoil_read_too_early },
    [FAULT_OVERLAPPING_RECEIVES] = { "overlapping receives", 2, spoil_overlapping_receives },
    [FAULT_FREE_IN_FLIGHT] = { "free in flight", 2, spoil_free_in_flight },
    [FAULT_LEAK_WORK] = { "work never waited for", 2, spoil_leak_work },
    [FAULT_LEAK_MESSAGE] = { "message never received", 2, spoil_leak_message },
    [FAULT_LEAK_TENSOR] = { "tensor never freed", 2, spoil_leak_tensor },
    [FAULT_LEAK_GROUP] = { "group never freed", 2, spoil_leak_group },
};

const char *gen_fault_name(enum gen_fault fault)
{
    return faults[fault].name;
}

int gen_smallest(enum gen_fault fault)
{
    return faults[fault].smallest;
}

int gen_size_for(enum gen_fault fault, uint64_t seed)
{
    int least = gen_smallest(fault);
    uint64_t dice = seed;
    return least + (int)ref_below(&dice, GEN_RANKS - least + 1);
}

uint64_t gen_first_seed(void)
{
    const char *given = getenv("DIST_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return given ? strtoull(given, NULL, 0) : (uint64_t)now.tv_sec * 1000003u % 1000000000u;
}

void gen_make(struct gen_program *p, uint64_t seed, int size, enum gen_fault fault,
              const struct gen_where *where)
{
    gen_begin(p, seed, size);
    p->fault = fault;
    if (gen_chance(p, 2))
        p->settings[0] = "DIST_CHECK=1";
    p->where = *where;
    p->where.checked |= p->settings[0] != NULL;
    if (fault == FAULT_NONE && gen_chance(p, 4))
        p->settings[1] = "DIST_BUFFERING=eager:4096";
    /* these two tell of the first luck there is: it is to be theirs */
    p->where.checked |= fault == FAULT_LUCK_OF_BUFFERS || fault == FAULT_LUCK_OF_ORDER;
    gen_events(p, GEN_ALL(p), gen_dice(p, 8));
    if (fault == FAULT_NONE)
        gen_events(p, GEN_ALL(p), 4 + gen_dice(p, 8));
    else
        faults[fault].spoil(p);
    gen_finish(p);
}

void gen_make_right(struct gen_program *p, uint64_t seed, int size, const struct gen_where *where)
{
    gen_begin(p, seed, size);
    p->where = *where;
    gen_events(p, GEN_ALL(p), 2 + gen_dice(p, 8));
    gen_finish(p);
}
