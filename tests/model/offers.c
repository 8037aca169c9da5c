/*
 * offers.c: the model of long data that set out with their message: lib/backends/transport/offers.c.
 *
 * One sender, one receiver, in another process; between them the engine. Notes travel in order, each way, and every one may come late; so may
 * whatever the engine does. It gives data to the receive that was begun first under their tag, and then both sides can see it. A
 * message has one of two kinds (a group and a tag), and a size that fits its receive or does not. Shown is that data come into the tensor of
 * the receive that their message met; that a send ends, not while the engine reads, and not before it hears of its refusal; and that
 * a watcher, who sees who sleeps and what was counted, says that nobody can move only when that is so. What finds no place is left out.
 */
#include "models.h"

#include <stdint.h>

enum { KINDS = 2, PLACES = 2, CALLS = 3 }; /* messages, and receives, counted from 1 */

enum { SEND, SEND_ODD = SEND + KINDS, POST = SEND_ODD + KINDS, HEAR = POST + KINDS, RECEIVE, MATCH };
enum { SEE = MATCH + CALLS, ANSWER = SEE + CALLS, KNOWN, MOVES };

static const struct scenario scenarios[] = { { "two places", MOVES }, { 0 } };

enum { UNCOUNTED = 1, ONE_TAG, OVER_AT_ONCE, LEFT_LYING, UNHEARD };
static const struct fault faults[] = { { "who takes an offer does not count it", 0 },
                                       { "two offers have the same tag", 0 },
                                       { "a refused send is over while its data are on offer", 0 },
                                       { "refused data are not received", 0 },
                                       { "refused data are received before their sender has heard", 0 },
                                       { 0 } };

enum engine { NOWHERE, OUT, MATCHED }; /* where the data of a message are, as the engine sees it */
struct state {
    struct message {
        uint8_t kind, odd, tag;
        uint8_t engine, receives,
            order;          /* receives: one of the engine's has begun for it; order: among all */
        uint8_t with;       /* the receive that the receiver has found for it */
        uint8_t over, told; /* told: that it is refused */
    } messages[CALLS + 1];
    struct receive {
        uint8_t kind, with, data; /* the message that it has met; whose data have come */
    } receives[CALLS + 1];
    uint8_t refused[CALLS]; /* messages; notes to the sender, and those that it has answered */
    uint8_t sent, heard, posted, written, read, known, clock;
    uint8_t meeting;                 /* one that the receiver is about to receive */
    uint8_t counted_out, counted_in; /* notes to the sender, and offers; what it has heard, and seen */
};

/* ---- the sender ------------------------------------------------------------------------------------- */

/* 0: none is free. */
static uint8_t free_tag(const struct step *step, const struct state *s)
{
    uint8_t tag = 1;
    for (int i = 1; i <= s->sent && step->fault != ONE_TAG; i++)
        if (s->messages[i].tag == tag && !s->messages[i].over)
            tag++, i = 0;
    return tag > PLACES ? 0 : tag;
}

static bool send(struct step *step, struct state *s, int kind, bool odd)
{
    uint8_t tag = free_tag(step, s);
    if (s->sent == CALLS || !tag)
        return false;
    s->messages[++s->sent] = (struct message){ .kind = (uint8_t)kind, .odd = odd, .tag = tag, .engine = OUT };
    say(step, "message %d, kind %d%s, tag %d", s->sent, kind, odd ? ", of another size" : "", tag);
    return true;
}

static bool see(struct step *step, struct state *s, int n)
{
    struct message *m = &s->messages[n];
    if (m->engine != MATCHED || m->over)
        return false;
    say(step, "the sender sees that the data of message %d have left", n);
    m->over = 1;
    s->counted_in++;
    if (m->odd && !m->told)
        step->broken = "a send is over, and has not heard that it was refused";
    return true;
}

static bool answer(struct step *step, struct state *s)
{
    if (s->read == s->written)
        return false;
    int n = s->refused[s->read++];
    say(step, "the sender hears that message %d is refused, and says so", n);
    s->messages[n].told = 1;
    s->messages[n].over |= step->fault == OVER_AT_ONCE;
    if (s->messages[n].over && s->messages[n].engine == OUT)
        step->broken = "a send is over, and the engine has still to read its data";
    s->counted_in++;
    s->counted_out++;
    return true;
}

/* ---- the receiver ------------------------------------------------------------------------------------ */

/* It counts first, and begins to receive in a step of its own. */
static void receive_next(const struct step *step, struct state *s, int n)
{
    s->counted_out += step->fault != UNCOUNTED;
    s->meeting = (uint8_t)n;
}

static void meet(struct step *step, struct state *s, int n, int receive)
{
    bool odd = s->messages[n].odd;
    s->receives[receive].with = (uint8_t)n;
    s->messages[n].with = (uint8_t)receive;
    say(step, "message %d meets receive %d", n, receive);
    s->counted_out += odd;
    if (odd)
        s->refused[s->written++] = (uint8_t)n;
    if (!odd || step->fault == UNHEARD)
        receive_next(step, s, n);
}

static void pair_up(struct step *step, struct state *s)
{
    for (int n = 1; n <= s->heard; n++)
        for (int i = 1; i <= s->posted; i++)
            if (!s->messages[n].with && !s->receives[i].with && s->messages[n].kind == s->receives[i].kind)
                meet(step, s, n, i);
}

static bool known(struct step *step, struct state *s)
{
    if (s->known == s->read || s->meeting)
        return false;
    s->known++;
    s->counted_in++;
    if (step->fault != LEFT_LYING && step->fault != UNHEARD)
        receive_next(step, s, s->refused[s->known - 1]);
    return true;
}

static bool begin_to_receive(struct step *step, struct state *s)
{
    struct message *m = &s->messages[s->meeting];
    if (!s->meeting)
        return false;
    m->receives = 1;
    m->order = ++s->clock;
    say(step, "the receiver begins to receive under tag %d", m->tag);
    s->meeting = 0;
    return true;
}

static bool post(struct step *step, struct state *s, int kind)
{
    if (s->posted == CALLS || s->meeting)
        return false;
    s->receives[++s->posted].kind = (uint8_t)kind;
    say(step, "receive %d, kind %d", s->posted, kind);
    pair_up(step, s);
    return true;
}

static bool hear(struct step *step, struct state *s)
{
    if (s->heard == s->sent || s->meeting)
        return false;
    s->heard++;
    pair_up(step, s);
    return true;
}

/* ---- the engine ---------------------------------------------------------------------------------------- */

/* 0: none, or other data of its tag go first. */
static int receive_for(const struct state *s, int n)
{
    const struct message *all = s->messages, *m = &all[n];
    int first = 0;
    for (int i = 1; i <= s->sent; i++) {
        if (all[i].tag == m->tag && all[i].engine == OUT && i < n)
            return 0;
        if (all[i].tag == m->tag && all[i].receives && (!first || all[i].order < all[first].order))
            first = i;
    }
    return first;
}

static bool match(struct step *step, struct state *s, int n)
{
    int into = s->messages[n].engine == OUT ? receive_for(s, n) : 0;
    if (!into)
        return false;
    say(step, "the engine gives the data of message %d to the receive that message %d has met", n, into);
    if (into != n)
        step->broken = "data come into a tensor that is not theirs";
    if (!s->messages[into].odd)
        s->receives[s->messages[into].with].data = (uint8_t)n;
    s->messages[n].engine = MATCHED;
    s->messages[into].receives = 0;
    return true;
}

/* ---- the watcher --------------------------------------------------------------------------------------- */

/* A rank naps while it is about to do something, or waits for the engine. An offer is not waited for: it is counted when it is taken. What
 * the programs still call is theirs. */
static void watch(struct step *step, const struct state *s)
{
    bool sleep = !s->meeting, moves = s->known < s->written;
    for (int i = 1; i <= s->sent; i++) {
        sleep &= !s->messages[i].receives;
        moves |= s->messages[i].engine == MATCHED && !s->messages[i].over;
    }
    if (sleep && moves && s->heard == s->sent && s->counted_in == s->counted_out)
        step->broken = "the watcher sees nothing under way, and something is";
}

static bool offers_move(struct step *step, int number)
{
    struct state *s = step->state;
    bool moved = number < POST       ? send(step, s, number % KINDS, number >= SEND_ODD)
                 : number < HEAR     ? post(step, s, number - POST)
                 : number == HEAR    ? hear(step, s)
                 : number == RECEIVE ? begin_to_receive(step, s)
                 : number < SEE      ? match(step, s, number - MATCH + 1)
                 : number < ANSWER   ? see(step, s, number - SEE + 1)
                 : number == ANSWER  ? answer(step, s)
                                     : known(step, s);
    if (moved)
        watch(step, s);
    return moved;
}

static const char *offers_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 1; i <= s->sent; i++) {
        const struct message *m = &s->messages[i];
        if (m->with && (!m->over || s->receives[m->with].data != (m->odd ? 0 : i)))
            return "a message has met its receive, and its data have not come, or its send has not ended";
    }
    return NULL;
}

const struct model model_offers = {
    .name = "offers",
    .promise = "long data come to the receive that their message met, and nobody is called stuck who is not",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = offers_move,
    .end = offers_end,
};
