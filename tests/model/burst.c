/*
 * burst.c: the model of tiny collectives ahead of their turn: lib/backends/shm/barrier.c, with collectives.c.
 *
 * Two or three members go through some collectives whose barriers are those of barrier.c here. At a tiny one a member may arrive before
 * its turn, if all that it is not through with are tiny, and fewer than WINDOW. Each sleeps on an event count of its own. The program
 * may begin the next collective, let a member look whether it is its turn, or let it sleep, whenever that is possible.
 */
#include "burst.h"
#include "models.h"

/* Moves: go on; begin the next one; sleep. */
static const struct scenario scenarios[] = { { "two members, all tiny, one sleeps", 6 },
                                             { "two members, short ones between", 6 },
                                             { "two members, one short", 6 },
                                             { "three members, all tiny, one sleeps", 9 },
                                             { 0 } };

/* t: tiny, in the contribution (or in a small slot, of which there are as many); s: short, in one of two slots, and never ahead. */
static const char *const kinds[] = { "ttttt", "tsttstt", "ststst", "tt" };
static const int sleepers[] = { 1, 2, 2, 1 }; /* so many of the members sleep, the others look for ever */

static const struct fault faults[] = { { "there are as many sets as a member may be ahead", 0 },
                                       { "a member may be one further ahead", 0 },
                                       { "who arrives ahead does not look whether all are there", 0 },
                                       { "who arrives ahead looks at the barrier whose turn it is", 0 },
                                       { "who was seen at one barrier counts as seen at the next", 0 },
                                       { "arriving is relaxed", 0 },
                                       { "looking is relaxed", 0 },
                                       { "the contribution is written after arriving", 0 },
                                       { "short ones are begun ahead, too", 2 },
                                       { "behind a short one a tiny one is begun ahead", 2 },
                                       { 0 } };

/* collectives_run_ahead: may it arrive at the next one, in its turn or ahead of it? */
static bool may_begin(const struct turn *t)
{
    int from = t->me->through, next = t->me->arrived, window = WINDOW + (t->step->fault == ONE_FURTHER);
    if (!t->kinds[next] || next == from)
        return t->kinds[next];
    for (int k = t->step->fault == BEHIND_SHORT ? next : from; k <= next; k++)
        if (t->kinds[k] != 't' && t->step->fault != SHORT_AHEAD)
            return false;
    return next - from < window;
}

static struct order order_in(struct state *s)
{
    return (struct order){ s->knows, HOLDERS, MEMBERS, KNOWN_WORDS };
}

static void burst_begin(struct step *step)
{
    order_begin(order_in(step->state));
}

static bool burst_move(struct step *step, int number)
{
    int size = scenarios[step->scenario].moves / 3, i = number % size;
    struct state *s = step->state;
    struct turn t = { step, s, &s->members[i], order_in(s), kinds[step->scenario], i, size };
    if (number < size)
        return burst_go_on(&t);
    bool begin = number < 2 * size;
    if (t.me->pc != IDLE ||
        (begin ? !may_begin(&t) : i >= sleepers[step->scenario] || t.me->through == t.me->arrived))
        return false;
    if (begin)
        burst_begin_next(&t);
    else
        burst_sleep(&t);
    return true;
}

static const char *burst_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 0; i < scenarios[step->scenario].moves / 3; i++)
        if (kinds[step->scenario][s->members[i].through])
            return "a member sleeps for ever at the barrier";
    return NULL;
}

const struct model model_burst = {
    .name = "burst",
    .promise =
        "nobody passes a barrier early or sleeps behind it, and nothing is overwritten that another may "
        "still read, where tiny collectives are begun before their turn",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .begin = burst_begin,
    .move = burst_move,
    .end = burst_end,
};
