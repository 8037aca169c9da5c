/* generated_spoil_buffer.c: tensors that are touched too early, and things that are left lying. */
#include "generated_spoil.h"

/* A transfer under way between two ranks: `line` starts it on `rank`, whose slot it is. */
struct flight {
    int rank, slot, line;
};

static struct flight take_off(struct gen_program *p, bool sends, bool whole)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    struct flight flight = { .rank = ranks[0] };
    m.slice = m.slice && !whole;
    flight.line = gen_start(p, ranks[0], spoil_as(m, sends ? GEN_ISEND : GEN_IRECV, ranks[1]));
    flight.slot = p->slot_count[ranks[0]] - 1;
    spoil_transfer(p, ranks[1], spoil_as(m, GEN_SEND, ranks[0]), !sends, true);
    return flight;
}

/* A collective under way, on all ranks. */
static struct flight take_off_together(struct gen_program *p, enum gen_op op)
{
    struct gen_step step = gen_collective(p, 0, true);
    struct flight flight = { .rank = gen_dice(p, p->size) };
    step.op = op;
    step.async = true;
    for (int rank = 0; rank < p->size; rank++) {
        int line = gen_start(p, rank, step);
        if (rank == flight.rank)
            flight.line = line;
    }
    flight.slot = p->slot_count[flight.rank] - 1;
    return flight;
}

/* The label: both lines are named, or only that of the start where memory is touched directly. */
static void touch(struct gen_program *p, struct flight flight, struct gen_step touch)
{
    touch.slot = flight.slot;
    int line = gen_add(p, flight.rank, touch);
    spoil_label(p, DIST_ERR_BUFFER, touch.raw ? 1 : 2, flight.line, touch.raw ? 0 : line);
    p->settings[0] = "DIST_CHECK=1";
    spoil_go_on(p, 0, true);
}

void spoil_write_while_sending(struct gen_program *p)
{
    struct flight flight = gen_chance(p, 4) ? take_off_together(p, GEN_ALL_GATHER) : take_off(p, true, false);
    touch(p, flight, (struct gen_step){ .op = GEN_WRITE, .raw = gen_chance(p, 2) });
}

void spoil_read_too_early(struct gen_program *p)
{
    struct flight flight =
        gen_chance(p, 4) ? take_off_together(p, GEN_ALL_REDUCE) : take_off(p, false, false);
    touch(p, flight, (struct gen_step){ .op = GEN_READ, .raw = gen_chance(p, 2) });
}

void spoil_free_in_flight(struct gen_program *p)
{
    /* not a slice: freeing one leaves the memory where it is */
    touch(p, take_off(p, gen_chance(p, 2), true), (struct gen_step){ .op = GEN_FREE });
}

void spoil_overlapping_receives(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    int one = gen_start(p, ranks[0], spoil_as(m, GEN_IRECV, ranks[1]));
    m.share = true;
    int two = gen_start(p, ranks[0], spoil_as(m, GEN_IRECV, ranks[1]));
    m.share = false;
    for (int i = 0; i < 2; i++)
        spoil_transfer(p, ranks[1], spoil_as(m, GEN_SEND, ranks[0]), true, true);
    spoil_label(p, DIST_ERR_BUFFER, 2, one, two);
    p->settings[0] = "DIST_CHECK=1";
    spoil_go_on(p, 0, true);
}

/* ---- leaks: the job ends well, and what was left is listed ------------------------------------------------ */

void spoil_leak_work(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    bool sends = gen_chance(p, 2);
    m.forgotten = true;
    int line = gen_start(p, ranks[0], spoil_as(m, sends ? GEN_ISEND : GEN_IRECV, ranks[1]));
    p->open[ranks[0]][p->slot_count[ranks[0]] - 1] = false;
    m.forgotten = false;
    spoil_transfer(p, ranks[1], spoil_as(m, GEN_SEND, ranks[0]), !sends, true);
    spoil_label(p, 0, 1, line, 0);
    spoil_go_on(p, 0, true);
}

/* Copied aside, so that the sender can go; all meet after it, so that it has come when its receiver leaves. */
void spoil_leak_message(struct gen_program *p)
{
    int ranks[GEN_RANKS];
    spoil_draw(p, ranks);
    struct gen_step m = spoil_message(p);
    m.count = 1 + gen_dice(p, 16);
    int line = gen_start(p, ranks[0], spoil_as(m, GEN_SEND, ranks[1]));
    p->settings[1] = "DIST_BUFFERING=eager:4096";
    spoil_label(p, 0, 1, line, 0);
    spoil_go_on(p, 0, true);
}

void spoil_leak_tensor(struct gen_program *p)
{
    int line = gen_add(p, gen_dice(p, p->size), (struct gen_step){ .op = GEN_LEAK, .count = 5 });
    p->settings[0] = "DIST_CHECK=1";
    spoil_label(p, 0, 1, line, 0);
    spoil_go_on(p, 0, true);
}

void spoil_leak_group(struct gen_program *p)
{
    p->forgets = gen_dice(p, p->size);
    p->settings[0] = "DIST_CHECK=1";
    spoil_label(p, 0, 1, GEN_GROUP_LINE(1), 0);
    spoil_go_on(p, 0, true);
}
