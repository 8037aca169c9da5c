/*
 * helper.c: the model of a rank whose program computes while its helper drives: lib/backends/shm/{engine,progress}.c.
 *
 * Rank 0 posts operations and computes, for ever; rank 1 waits for what it should get from them. Nobody may wait
 * in vain, and a long message whose receive is open must be copied even if nobody waits for it.
 */
#include "drivers.h"
#include "models.h"

/* Moves are threads: 0, 1: rank 0 and its helper; 2, 3: rank 1 and its helper, where it has one. */
static const struct scenario scenarios[] = {
    { "two sends behind each other, their sender computes", 3 },
    { "a receive of a short message, its receiver computes", 3 },
    { "a receive of a long message, its receiver computes", 3 },
    { "a long message is found by a test", 3 },
    { "a wait for one operation hands over the other", 3 },
    { "a wait while the helper copies", 3 },
    { "both compute: a long message is copied meanwhile", 4 },
    { "a receive is posted as the one before it ends", 3 },
    { "an ack is put off, and its receiver computes", 3 },
    { "an ack is put off, and its receiver waits for something else", 3 },
    { "two sends in a burst: the helper looks by itself", 3 },
    { "a receive of a long message, in a burst", 3 },
    { "a wait for one operation hands over the other, in a burst", 3 },
    { "both compute, in bursts: a long message is copied meanwhile", 4 },
    { "a receive is posted as the one before it ends, in a burst", 3 },
    { "an ack is put off in a burst, and its receiver computes", 3 },
    { 0 }
};

#define BURSTS 10 /* from this scenario on */

static const struct fault faults[] = { { "the helper is counted after the last light look", 1 },
                                       { "the helper reads `count` after its look", 1 },
                                       { "what a light look leaves undone is not told to the helper", 3 },
                                       { "the helper is notified without counting up `count`", 3 },
                                       { "a wait ends without handing over", 4 },
                                       { "the helper ends an operation without notifying its own rank", 5 },
                                       { "a waiter goes to sleep without urging its peer's helper", 1 },
                                       { "a waiter urges once in a wait, not before each sleep", 0 },
                                       { "a long message does not notify the helper", 6 },
                                       { "the helper gives up its count after it has let go of the lock", 7 },
                                       { "a send that waits for a place passes for one that was posted", 0 },
                                       { "a helper that no longer looks by itself is not counted", 10 },
                                       { "and does not look once more when it is counted", 10 },
                                       { "an ack that was put off does not count as work", 8 },
                                       { "who drives leaves an ack put off", 9 },
                                       { "who ends its wait does not look, its helper being counted", 4 },
                                       { 0 } };

static const struct {
    bool is_long[2]; /* the messages from each rank */
    uint8_t lines[2][6];
    uint8_t ring; /* places of a channel, beside the slot */
} programs[] = {
    { { false, false }, { { SEND, SEND }, { RECV, RECV, WAIT_RECVS } }, 0 },
    { { false, false }, { { RECV }, { SEND, WAIT_SENDS } }, 0 },
    { { false, true }, { { RECV }, { SEND, WAIT_SENDS } }, 0 },
    { { false, true }, { { RECV, TEST, TEST }, { SEND, WAIT_SENDS } }, 0 },
    { { false, false },
      { { SEND, SEND, RECV, WAIT_RECVS }, { SEND, WAIT_SENDS, RECV, RECV, WAIT_RECVS } },
      0 },
    { { false, true }, { { RECV, WAIT_RECVS }, { SEND, WAIT_SENDS } }, 0 },
    { { false, true }, { { RECV }, { SEND } }, 0 },
    { { false, false }, { { RECV, RECV }, { SEND, WAIT_SENDS, SEND, WAIT_SENDS } }, 0 },
    { { false, false }, { { RECV }, { SEND, SEND, WAIT_SEND } }, 1 },
    { { false, false }, { { RECV, SEND, WAIT_SENDS }, { SEND, SEND, WAIT_SEND, RECV, WAIT_RECVS } }, 1 },
    { { false, false }, { { SEND, SEND }, { RECV, RECV, WAIT_RECVS } }, 0 },
    { { false, true }, { { RECV }, { SEND, WAIT_SENDS } }, 0 },
    { { false, false },
      { { SEND, SEND, RECV, WAIT_RECVS }, { SEND, WAIT_SENDS, RECV, RECV, WAIT_RECVS } },
      0 },
    { { false, true }, { { RECV }, { SEND } }, 0 },
    { { false, false }, { { RECV, RECV }, { SEND, WAIT_SENDS, SEND, WAIT_SENDS } }, 0 },
    { { false, false }, { { RECV }, { SEND, SEND, WAIT_SEND } }, 1 },
};

static void helper_begin(struct step *step)
{
    struct state *s = step->state;
    s->threads[0].pc = s->threads[2].pc = START;
    s->threads[1].pc = s->threads[3].pc = HELP_LOCK;
}

static bool one_step(struct turn *t)
{
    if (t->me->pc == ASLEEP)
        return false;
    if (t->me->pc >= WALK_ACK)
        return walk_step(t);
    return t->number % 2 ? help_step(t) : own_step(t);
}

/* Does the next step touch nothing that another thread can see, or only let go of the lock? Then no thread can tell
 * whether it comes at once or later, and the explorer need not try both. */
static bool is_private(const struct turn *t)
{
    switch (t->me->pc) {
    case OUT:
    case URGE:
    case LIGHT_LOOKED:
    case UNLOCK:
    case WALK_POST_NOTIFY:
        return true;
    case WALK_END:
        return t->mine->taken == t->mine->ack;
    case HELP_LOOKED: /* (a burst begins or ends there, and it is counted, or no longer) */
        return !t->may_tick;
    case WALK_ACK:
        return t->mine->sends_done == t->mine->sends;
    case WALK_RECV:
        return t->mine->taken == t->mine->recvs && (t->me->light || !t->mine->copies);
    default:
        return false;
    }
}

static bool helper_move(struct step *step, int number)
{
    struct state *s = step->state;
    int rank = number / 2;
    struct step silent = { s, step->scenario, step->fault, NULL, NULL };
    struct turn turn = { .step = step,
                         .s = s,
                         .me = &s->threads[number],
                         .mine = &s->ranks[rank],
                         .other = &s->ranks[1 - rank],
                         .number = number,
                         .rank = rank,
                         .long_out = programs[step->scenario].is_long[rank],
                         .long_in = programs[step->scenario].is_long[1 - rank],
                         .may_tick = step->scenario >= BURSTS,
                         .places = 1 + programs[step->scenario].ring,
                         .has_helper = 2 * rank + 1 < scenarios[step->scenario].moves,
                         .lines = programs[step->scenario].lines[rank] };
    if (!one_step(&turn))
        return false;
    turn.step = &silent;
    while (is_private(&turn) && one_step(&turn))
        ;
    return true;
}

static const char *helper_end(struct step *step)
{
    const struct state *s = step->state;
    for (int rank = 0; rank < 2; rank++) {
        const struct rank *mine = &s->ranks[rank], *other = &s->ranks[1 - rank];
        if (s->threads[2 * rank].pc > OUT)
            return "a rank waits for ever";
        if (programs[step->scenario].is_long[1 - rank] && mine->recvs_done < other->seq &&
            mine->recvs_done < mine->recvs)
            return "a long message lies there for ever, and the helper sleeps";
    }
    return NULL;
}

const struct model model_helper = {
    .name = "helper",
    .promise = "nobody waits in vain for a rank that computes",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = helper_begin,
    .move = helper_move,
    .end = helper_end,
};
