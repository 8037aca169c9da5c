/*
 * barrier.c: the model of a group's barrier: lib/backends/shm/barrier.c, with parts.c and the plans of plans.c.
 *
 * Two or three members go through several collectives, of the kinds in meeting.h. A listener is a member whose engine waits
 * for the others: it sleeps on its own event count, not on that of the barrier.
 */
#include "meeting.h"
#include "models.h"

/* Moves: the members, then their store buffers. */
static const struct scenario scenarios[] = { { "two members, short, short, short", 4 },
                                             { "two members, short, long, short, one listens", 4 },
                                             { "two members, long, long, short, both listen", 4 },
                                             { "two members, crowd, crowd, crowd", 4 },
                                             { "two members, long, crowd, long, one listens", 4 },
                                             { "two members, long, long, long, each on its core", 4 },
                                             { "two members, long, long, one on its core, one listens", 4 },
                                             { "three members, short, short, short", 6 },
                                             { "three members, short, one listens", 6 },
                                             { "three members, long", 6 },
                                             { "three members, long, short, one on its core", 6 },
                                             { "three members in two crowds", 6 },
                                             { 0 } };

/* The kinds of a scenario's collectives; which members listen, and which have a core of their own, a bit for each. */
static const struct {
    const char *kinds;
    uint8_t listen, alone;
} plans[] = { { "sss", 0, 0 }, { "sls", 1, 0 }, { "lls", 3, 0 }, { "ccc", 0, 0 },
              { "lcl", 2, 0 }, { "lll", 0, 3 }, { "ll", 2, 1 },  { "sss", 0, 0 },
              { "s", 4, 0 },   { "l", 0, 0 },   { "ls", 0, 2 },  { "c", 0, 0 } };

static const struct fault faults[] = { { "there is one contribution for each member, not two", 0 },
                                       { "there is one slot for each member, not two", 0 },
                                       { "the contribution is written after arriving", 0 },
                                       { "a member looks before it arrives", 0 },
                                       { "arriving is release: the look overtakes it", 0 },
                                       { "only the first member looks, and notifies", 0 },
                                       { "a listener is counted among the sleepers after its last look", 2 },
                                       { "a count above the awaited one is not taken for an arrival", 3 },
                                       { "the slice is written to all before all have arrived", 1 },
                                       { "a long plan ends before all parts are done", 1 },
                                       { "crowds are read without a barrier after they were added up", 3 },
                                       { "whoever sees all arrive does not notify the listeners", 1 },
                                       { "that a member listens is written only before it sleeps", 2 },
                                       { "arriving is relaxed", 0 },
                                       { "looking is relaxed", 0 },
                                       { "a part is taken without a look whether somebody has", 1 },
                                       { "a part is looked at, and taken in a second step", 1 },
                                       { "a member that leaves frees its part for the next plan", 1 },
                                       { "parts are counted before they are done", 5 },
                                       { "counting parts is relaxed", 5 },
                                       { "whoever counts the last part does not notify", 5 },
                                       { 0 } };

static struct order order_in(struct state *s)
{
    return (struct order){ s->knows, HOLDERS, MEMBERS, KNOWN_WORDS };
}

static void barrier_begin(struct step *step)
{
    order_begin(order_in(step->state));
}

/* The collective is over: the program may do with its tensor what it likes. */
static void leave(struct turn *t)
{
    meeting_tell(t, t->kind == LONG ? "leaves, and overwrites its tensor" : "leaves");
    if (t->kind == LONG)
        tensor_overwrite(t);
    t->me->barrier = 0;
    if (t->step->fault == PART_FREED)
        t->s->taken[t->i] = 0;
    t->me->pc = plans[t->step->scenario].kinds[++t->me->round] ? CARD : OVER;
}

/* To the second barrier; or past it, where a fault has none. */
static void second_barrier(struct turn *t)
{
    t->me->barrier = 1;
    t->me->pc = t->step->fault == CROWD_IN_ONE  ? READ_RESULT
                : t->step->fault == LOOKS_FIRST ? LOOK_EARLY
                                                : ARRIVE;
}

static void begin_parts(struct turn *t)
{
    t->me->barrier = 1;
    t->me->long_plans++;
    t->me->at = (uint8_t)t->i;
    t->me->pc = TAKE_PART;
}

static void after_contributions(struct turn *t)
{
    t->me->pc = READ_DATA;
    if (t->kind == LONG)
        begin_parts(t);
    else if (t->kind == CROWDS && t->i % CROWD != 0)
        second_barrier(t);
}

static void after_data(struct turn *t)
{
    t->me->pc = t->step->fault == LOOKS_FIRST ? LOOK_EARLY : ARRIVE;
    if (t->step->fault == NO_FIRST_BARRIER && t->kind == LONG)
        begin_parts(t);
}

static void plan_step(struct turn *t)
{
    switch (t->me->pc) {
    case CARD:
        if (t->step->fault != CARD_LATE)
            contribution_write(t);
        t->me->pc = DATA;
        break;
    case DATA:
        data_write(t);
        after_data(t);
        break;
    case READ_CARDS:
        contributions_read(t);
        after_contributions(t);
        break;
    case READ_DATA:
        work_read(t);
        t->me->pc = t->kind == SHORT ? LEAVE : WRITE_DATA;
        break;
    case WRITE_DATA:
        work_write(t);
        second_barrier(t);
        break;
    default: /* READ_RESULT */
        result_read(t);
        t->me->pc = LEAVE;
    }
}

static bool one_step(struct turn *t)
{
    if (t->me->pc == OVER)
        return false;
    if (t->me->pc == LEAVE)
        leave(t);
    else if (t->me->pc >= LOOK_EARLY && t->me->pc <= UNCOUNT)
        return meeting_step(t);
    else if (t->kind == LONG && t->me->pc >= TAKE_PART && t->me->pc <= COUNT_PARTS)
        parts_step(t);
    else
        plan_step(t);
    return true;
}

/* A member's store buffer reaches memory. */
static bool empty_buffer(struct step *step, int i)
{
    struct state *s = step->state;
    if (!s->buffered[i])
        return false;
    say(step, "member %d: its store buffer reaches memory: %d arrivals", i, s->buffered[i]);
    meeting_drain(s, i);
    return true;
}

static bool barrier_move(struct step *step, int number)
{
    int size = scenarios[step->scenario].moves / 2, i = number % size;
    struct state *s = step->state;
    struct member *me = &s->members[i];
    uint8_t listen = plans[step->scenario].listen;
    struct turn turn = { .step = step,
                         .s = s,
                         .me = me,
                         .sleepers = listen >> i & 1 ? &s->own_sleepers[i] : &s->sleepers,
                         .order = order_in(s),
                         .i = i,
                         .size = size,
                         .kind = (enum kind)plans[step->scenario].kinds[me->round],
                         .listens = listen >> i & 1,
                         .alone = plans[step->scenario].alone >> i & 1,
                         .listeners = listen };
    return number < size ? one_step(&turn) : empty_buffer(step, i);
}

static const char *barrier_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 0; i < scenarios[step->scenario].moves / 2; i++)
        if (s->members[i].pc != OVER)
            return "a member sleeps for ever at the barrier";
    return NULL;
}

const struct model model_barrier = {
    .name = "barrier",
    .promise = "nobody passes a barrier early or sleeps behind it, nothing is overwritten that another may "
               "still read",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = barrier_begin,
    .move = barrier_move,
    .end = barrier_end,
};
