/*
 * leaders.c: the model of a small collective between machines: lib/backends/transport/meet.c and inside.c.
 *
 * Three leaders, each of which speaks for its machine, and two collectives, which may be open at once. Notes travel in order from one leader
 * to another, and may come late. A leader tells all others that it has come, and goes on when all have; but what it tells only the first, since
 * it is long, or its own machine does not agree, the first alone can judge. Shown is that all go on the same way, or none does, and that
 * nobody waits for ever. With `cannot reach` a leader cannot add up the tensors of its machine: then the engine does all of it.
 */
#include "models.h"

#include <stdint.h>

enum { LEADERS = 3, CALLS = 2, QUEUE = 4, ALL = (1 << LEADERS) - 1 };

/* Moves: a leader comes to its next collective; the second hears the first's oldest note. */
enum { HEAR = LEADERS, MOVES = HEAR + LEADERS * LEADERS };

/* What a leader means by the second collective. All mean the same by the first: a small sum. */
enum meaning { SMALL, OTHER, LONG, FAR };
static const struct scenario scenarios[] = { { "all mean the same", MOVES },
                                             { "the second leader means another small one", MOVES },
                                             { "the first does", MOVES },
                                             { "the second leader means a long one", MOVES },
                                             { "the first does", MOVES },
                                             { "all mean a long one", MOVES },
                                             { "the third leader cannot reach all tensors", MOVES },
                                             { 0 } };
static const uint8_t meanings[][LEADERS] = { { SMALL, SMALL, SMALL }, { SMALL, OTHER, SMALL },
                                             { OTHER, SMALL, SMALL }, { SMALL, LONG, SMALL },
                                             { LONG, SMALL, SMALL },  { LONG, LONG, LONG },
                                             { SMALL, SMALL, FAR } };

enum { BLIND = 1, FIRST_TELLS_TOO, SILENT, ALONE };
static const struct fault faults[] = { { "a leader goes on without comparing", 1 },
                                       { "the first tells to go what all have found out", 0 },
                                       { "the first does not tell of what all can see to differ", 1 },
                                       { "who cannot reach all tensors tells only the first", 6 },
                                       { 0 } };

enum kind { NONE, COME, GO, DIFFERS };
enum over { WAITS, ADDED, BY_ENGINE, REFUSED };
struct note {
    uint8_t kind, call, means;
};
struct state {
    struct leader {
        uint8_t posted;                   /* collectives */
        uint8_t came[CALLS];              /* of whom it knows, */
        uint8_t means[CALLS][LEADERS];    /* and what */
        uint8_t over[CALLS], late[CALLS]; /* how it ended; notes that came after */
    } leaders[LEADERS];
    struct note notes[LEADERS][LEADERS][QUEUE]; /* from, to */
};

static uint8_t meaning(const struct step *step, int leader, int call)
{
    return call == 0 ? SMALL : meanings[step->scenario][leader];
}

static bool is_small(uint8_t means)
{
    return means != LONG;
}

/* FAR says the same as SMALL. */
static bool differ(uint8_t a, uint8_t b)
{
    return (a == FAR ? SMALL : a) != (b == FAR ? SMALL : b);
}

static void send(struct step *step, struct state *s, int from, int to, struct note note)
{
    int at = 0;
    while (at < QUEUE && s->notes[from][to][at].kind)
        at++;
    if (at == QUEUE)
        step->broken = "more notes are under way than the model has places for";
    else
        s->notes[from][to][at] = note;
}

static void end(struct step *step, struct state *s, int me, int call, enum over over)
{
    static const char *const words[] = { "", "has the sum", "lets the engine do it", "is refused" };
    struct leader *l = &s->leaders[me];
    say(step, "leader %d %s, collective %d", me, words[over], call);
    if (l->over[call])
        step->broken = "a collective ends twice";
    l->over[call] = (uint8_t)over;
    for (int i = 0; i < LEADERS && over != REFUSED; i++)
        if (s->leaders[i].posted <= call || differ(meaning(step, i, call), meaning(step, me, call)))
            step->broken = "a leader goes on, and another has not come, or means something else";
}

static void tell(struct step *step, struct state *s, int call, enum kind kind)
{
    for (int i = LEADERS - 1; i >= 0; i--)
        send(step, s, 0, i, (struct note){ (uint8_t)kind, (uint8_t)call, 0 });
}

/* All have come. */
static void judge(struct step *step, struct state *s, int me, int call)
{
    const uint8_t *means = s->leaders[me].means[call];
    bool far = false, differs = false;
    for (int i = 0; i < LEADERS; i++) {
        far |= means[i] == FAR;
        differs |= differ(means[i], means[0]);
    }
    if (differs && step->fault != BLIND) {
        if (me == 0 && step->fault != SILENT)
            tell(step, s, call, DIFFERS);
    } else if (is_small(means[me])) {
        end(step, s, me, call, far ? BY_ENGINE : ADDED);
        if (me == 0 && step->fault == FIRST_TELLS_TOO)
            tell(step, s, call, GO);
    } else if (me == 0) {
        tell(step, s, call, GO);
    }
}

static void come(struct step *step, struct state *s, int me, int from, int call, uint8_t means)
{
    struct leader *l = &s->leaders[me];
    l->late[call] += l->over[call] != WAITS;
    l->came[call] |= (uint8_t)(1 << from);
    l->means[call][from] = means;
    if (l->came[call] == ALL && l->posted > call && !l->over[call])
        judge(step, s, me, call);
}

static bool post(struct step *step, struct state *s, int me)
{
    struct leader *l = &s->leaders[me];
    if (l->posted == CALLS)
        return false;
    uint8_t call = l->posted++, means = meaning(step, me, call);
    bool all = is_small(means) && !(step->fault == ALONE && means == FAR);
    say(step, "leader %d comes to collective %d, and tells %s", me, call, all ? "all" : "the first");
    for (int i = 0; i < LEADERS; i++)
        if (i != me && (all || i == 0))
            send(step, s, me, i, (struct note){ COME, call, means });
    come(step, s, me, me, call, means);
    return true;
}

static bool hear(struct step *step, struct state *s, int from, int to)
{
    struct note *notes = s->notes[from][to], note = notes[0];
    if (!note.kind)
        return false;
    for (int i = 1; i < QUEUE; i++)
        notes[i - 1] = notes[i];
    notes[QUEUE - 1] = (struct note){ 0 };
    say(step, "leader %d hears leader %d, collective %d", to, from, note.call);
    if (note.kind == COME)
        come(step, s, to, from, note.call, note.means);
    else
        end(step, s, to, note.call, note.kind == GO ? BY_ENGINE : REFUSED);
    return true;
}

static bool leaders_move(struct step *step, int number)
{
    int way = number - HEAR;
    return number < HEAR ? post(step, step->state, number)
                         : hear(step, step->state, way / LEADERS, way % LEADERS);
}

static const char *leaders_end(struct step *step)
{
    const struct state *s = step->state;
    for (int call = 0; call < CALLS; call++)
        for (int i = 0; i < LEADERS; i++) {
            const struct leader *l = &s->leaders[i];
            if (l->over[call] == WAITS)
                return "all have come, and a leader waits for ever";
            if (l->over[call] != s->leaders[0].over[call])
                return "a collective has ended in two ways";
            if (l->late[call] && l->over[call] != REFUSED)
                return "somebody has come to a collective that is over, and is remembered for ever";
        }
    return NULL;
}

const struct model model_leaders = {
    .name = "leaders",
    .promise = "all leaders go on the same way, none before all have come and mean the same, and none waits "
               "for ever",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = leaders_move,
    .end = leaders_end,
};
