/*
 * board.c: the model of a group's board: lib/backends/shm/board.c, with the plans of plans.c.
 *
 * Two or three members go through several collectives. A short one puts data into the slots and has one barrier; a
 * long one reads the peers' tensors in place and has two. A listener is a member whose engine waits for the phase: it
 * sleeps on its own bell, not on that of the board.
 */
#include "meeting.h"
#include "models.h"

static const struct scenario scenarios[] = { { "two members, short, short, short", 2 },
                                             { "two members, short, long, short, one listens", 2 },
                                             { "two members, long, long, short, both listen", 2 },
                                             { "three members, short, short, short", 3 },
                                             { "three members, short, long, short, one listens", 3 },
                                             { 0 } };

/* Which collectives of a scenario are long, and which members listen; a bit for each. */
static const struct {
    uint8_t are_long, listen;
} plans[] = { { 0, 0 }, { 2, 1 }, { 3, 3 }, { 0, 0 }, { 2, 4 } };

static const struct fault faults[] = { { "the counter is set back after the strike", 0 },
                                       { "there is one card for each member, not two", 0 },
                                       { "there is one slot for each member, not two", 0 },
                                       { "the phase is read after arriving", 0 },
                                       { "a listener is counted among the sleepers after its last look", 2 },
                                       { "the card is written after arriving", 0 },
                                       { "a long plan ends without a last barrier", 1 },
                                       { "the last to arrive does not ring the listeners", 1 },
                                       { "a listener is counted only before it sleeps", 2 },
                                       { "the strike does not count up `rings` unless somebody sleeps", 0 },
                                       { "arriving is relaxed", 0 },
                                       { "the strike is relaxed", 0 },
                                       { "passing is relaxed", 0 },
                                       { 0 } };

static struct order order_in(struct state *s)
{
    return (struct order){ s->knows, MEMBERS + 2, MEMBERS };
}

static void board_begin(struct step *step)
{
    order_begin(order_in(step->state));
}

/* The collective begins: a member whose engine will wait says so first. */
static void begin(struct turn *t)
{
    bool says = t->listens && t->step->fault != LISTENS_LATE;
    meeting_tell(t, says ? "begins, and adds itself to the listeners" : "begins");
    t->s->listeners += says;
    t->me->listening = says;
    t->me->pc = CARD;
}

/* The collective is over: the program may do with its tensor what it likes. */
static void leave(struct turn *t)
{
    meeting_tell(t, t->is_long ? "leaves, and overwrites its tensor" : "leaves");
    if (t->is_long)
        tensor_write(t, UINT8_MAX);
    t->s->listeners = (uint8_t)(t->s->listeners - t->me->listening);
    t->me->listening = t->me->barrier = 0;
    t->me->pc = ++t->me->round == COLLECTIVES ? OVER : BEGIN;
}

static bool one_step(struct turn *t)
{
    bool again = t->is_long && t->step->fault != NO_LAST_BARRIER;
    switch (t->me->pc) {
    case OVER:
        return false;
    case BEGIN:
        begin(t);
        return true;
    case CARD:
        if (t->step->fault != CARD_LATE)
            card_write(t);
        t->me->pc = DATA;
        return true;
    case DATA:
        data_write(t);
        t->me->pc = PHASE;
        return true;
    case READ_CARD:
        read_all(t, READ_DATA);
        return true;
    case READ_DATA:
        read_all(t, again ? PHASE : LEAVE);
        t->me->barrier = again && t->me->pc == PHASE;
        return true;
    case LEAVE:
        leave(t);
        return true;
    default:
        return meeting_step(t);
    }
}

static bool board_move(struct step *step, int i)
{
    struct state *s = step->state;
    struct member *me = &s->members[i];
    bool listens = plans[step->scenario].listen >> i & 1;
    struct turn turn = { .step = step,
                         .s = s,
                         .me = me,
                         .bell = listens ? &s->own[i] : &s->phase,
                         .order = order_in(s),
                         .i = i,
                         .size = scenarios[step->scenario].moves,
                         .is_long = plans[step->scenario].are_long >> me->round & 1,
                         .listens = listens,
                         .listeners = plans[step->scenario].listen };
    return one_step(&turn);
}

static const char *board_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 0; i < scenarios[step->scenario].moves; i++)
        if (s->members[i].pc != OVER)
            return "a member sleeps for ever at the barrier";
    return NULL;
}

const struct model model_board = {
    .name = "board",
    .promise = "nobody passes a barrier early or sleeps behind it, nothing is overwritten that another may "
               "still read",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = board_begin,
    .move = board_move,
    .end = board_end,
};
