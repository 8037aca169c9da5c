/* meeting_parts.c: the parts of a long plan: lib/backends/shm/parts.c. */
#include "meeting.h"

/* The next part, my own first. All done: on to counting. */
static void next_part(struct turn *t)
{
    t->me->at = (uint8_t)((t->me->at + 1) % t->size);
    t->me->pc = t->alone || t->me->at == t->i ? COUNT_PARTS : TAKE_PART;
}

static void take_part(struct turn *t)
{
    bool found = t->me->pc == KEEP_PART || t->step->fault == PART_UNLOOKED;
    bool mine = found || t->s->taken[t->me->at] != t->me->long_plans;
    if (mine && !found && t->step->fault == PART_IN_TWO) {
        meeting_tell(t, "finds a part that nobody has taken");
        t->me->pc = KEEP_PART;
        return;
    }
    say(t->step, "member %d %s part %d (collective %d)", t->i, mine ? "takes" : "finds somebody has taken",
        t->me->at, t->me->round + 1);
    if (!mine) {
        next_part(t);
        return;
    }
    t->s->taken[t->me->at] = t->me->long_plans;
    t->me->parts++;
    t->me->pc = READ_DATA;
    if (t->step->fault == COUNTS_BEFORE_WORK) {
        order_add(t->order, t->i, WORD_PARTS, true);
        t->s->parts_done++;
    }
}

static void count_parts(struct turn *t)
{
    uint8_t parts = t->me->parts;
    meeting_tell(t, "counts the parts that it has done");
    t->me->parts = 0;
    if (parts > 0 && t->step->fault != COUNTS_BEFORE_WORK) {
        order_load(t->order, t->i, WORD_PARTS, true);
        order_add(t->order, t->i, WORD_PARTS, t->step->fault != COUNTS_RELAXED);
        t->s->parts_done = (uint8_t)(t->s->parts_done + parts);
    }
    bool last = parts > 0 && t->s->parts_done == t->me->long_plans * t->size;
    t->me->at = 0;
    t->me->pc = t->step->fault == NO_END_OF_PARTS            ? LEAVE
                : last && t->step->fault != LAST_PART_SILENT ? SLEEPERS
                                                             : AGAIN;
}

bool parts_over(struct turn *t)
{
    bool over = t->s->parts_done >= t->me->long_plans * t->size;
    order_load(t->order, t->i, WORD_PARTS, t->step->fault != LOOKS_RELAXED);
    meeting_tell(t, over ? "sees that all parts are done" : "sees that a part is not done");
    return over;
}

void parts_step(struct turn *t)
{
    switch (t->me->pc) {
    case TAKE_PART:
    case KEEP_PART:
        take_part(t);
        break;
    case READ_DATA:
        work_read(t);
        t->me->pc = WRITE_DATA;
        break;
    case WRITE_DATA:
        work_write(t);
        next_part(t);
        break;
    default:
        count_parts(t);
    }
}
