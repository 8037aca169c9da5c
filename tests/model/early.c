/*
 * early.c: the model of receives that ask for their data before the message has come: lib/backends/transport/wants.c.
 *
 * One sender, one receiver, in another process: notes travel in order, each way, and every one may come late. A message has one of two
 * kinds (a group and a tag), and a size that fits its receive or does not. Another sender's messages are for receives from anybody
 * only. Shown is that the data of a message come into the tensor of the receive that the receiver has matched it with, and once; and
 * that they come at all.
 */
#include "models.h"

#include <stdint.h>
#include <string.h>

#define CALLS 4                  /* messages, and receives, counted from 1; of two kinds one less */
#define NOTES (2 * CALLS)        /* to the sender, ever */
enum { KINDS = 2, ANYBODY = 2 }; /* a receive's kind: ANYBODY takes what is of kind 0 */

/* Moves. */
enum {
    SEND,
    SEND_ODD = SEND + KINDS,
    POST = SEND_ODD + KINDS,
    HEAR = POST + KINDS + 1,
    ANSWER,
    STRANGER,
    MOVES
};

static const struct scenario scenarios[] = { { "one kind", MOVES },
                                             { "two kinds, and from anybody", MOVES },
                                             { 0 } };

enum { BEHIND_OTHERS = 1, WITH_ANYBODY, UNMARKED, BEGIN_TOO, HELD_KEPT };
static const struct fault faults[] = { { "a receive wants, though one before it has not", 1 },
                                       { "a receive wants while one from anybody is posted", 1 },
                                       { "a message that does not fit its want may be taken by the next", 0 },
                                       { "the receiver asks again for what it has wanted", 0 },
                                       { "a want that a message did not fit is kept", 0 },
                                       { 0 } };

enum note_kind { WANT = 1, BEGIN, REFUSE };
struct state {
    struct message {
        uint8_t kind, odd, known; /* known: as sent; 0: a want has taken it, though it does not fit */
        uint8_t waits;            /* for an answer */
        uint8_t with;             /* the receive that the receiver has found for it */
    } messages[CALLS + 1];
    struct receive {
        uint8_t kind, wants, with; /* with: the message; STRANGERS: another sender's */
        uint8_t data;              /* of which message they came */
    } receives[CALLS + 1];
    struct note {
        uint8_t kind, receive, message;
    } notes[NOTES];
    uint8_t held[CALLS]; /* receives whose wants the sender keeps */
    uint8_t sent, heard, posted, written, read, strangers;
};
enum { STRANGERS = 99 };

static int calls(const struct step *step)
{
    return CALLS - step->scenario;
}

/* ---- the sender ------------------------------------------------------------------------------------- */

static void set_out(struct step *step, struct state *s, int message, int receive)
{
    struct receive *r = &s->receives[receive];
    s->messages[message].waits = 0;
    if (r->data || (r->with && r->with != message))
        step->broken = "data come into a tensor that is not theirs";
    r->data = (uint8_t)message;
    say(step, "the data of message %d set out for receive %d", message, receive);
}

static bool send(struct step *step, struct state *s, int kind, bool odd)
{
    if (s->sent == calls(step) || (step->scenario == 0 && kind > 0))
        return false;
    int n = ++s->sent;
    s->messages[n] = (struct message){ .kind = (uint8_t)kind, .odd = odd, .known = 1, .waits = 1 };
    say(step, "message %d, kind %d%s", n, kind, odd ? ", of another size" : "");
    for (int i = 0; i < CALLS; i++) {
        if (!s->held[i] || s->receives[s->held[i]].kind != kind)
            continue;
        if (!odd)
            set_out(step, s, n, s->held[i]);
        else
            s->messages[n].known = step->fault == UNMARKED;
        if (!odd || step->fault != HELD_KEPT) {
            memmove(s->held + i, s->held + i + 1, (size_t)(CALLS - 1 - i));
            s->held[CALLS - 1] = 0;
        }
        break;
    }
    return true;
}

static void hear_want(struct step *step, struct state *s, const struct note *note)
{
    int n = 1, i = 0;
    while (n <= s->sent && (!s->messages[n].waits || !s->messages[n].known ||
                            s->messages[n].kind != s->receives[note->receive].kind))
        n++;
    if (n <= s->sent && !s->messages[n].odd) {
        set_out(step, s, n, note->receive);
    } else if (n <= s->sent) {
        s->messages[n].known = step->fault == UNMARKED;
    } else {
        while (s->held[i])
            i++;
        s->held[i] = note->receive;
    }
}

static bool answer(struct step *step, struct state *s)
{
    if (s->read == s->written)
        return false;
    const struct note *note = &s->notes[s->read++];
    say(step, "the sender hears %s",
        note->kind == WANT    ? "a want"
        : note->kind == BEGIN ? "begin"
                              : "a refusal");
    if (note->kind == WANT)
        hear_want(step, s, note);
    else if (note->kind == BEGIN)
        set_out(step, s, note->message, note->receive);
    else
        s->messages[note->message].waits = 0;
    return true;
}

/* ---- the receiver ------------------------------------------------------------------------------------ */

static void tell(struct state *s, enum note_kind kind, int receive, int message)
{
    s->notes[s->written++] = (struct note){ (uint8_t)kind, (uint8_t)receive, (uint8_t)message };
}

static void meet(struct step *step, struct state *s, int message, int receive)
{
    struct receive *r = &s->receives[receive];
    r->with = (uint8_t)message;
    s->messages[message].with = (uint8_t)receive;
    say(step, "message %d meets receive %d", message, receive);
    if (r->data && r->data != message)
        step->broken = "data have come into a tensor that is not theirs";
    if (s->messages[message].odd)
        tell(s, REFUSE, receive, message);
    else if (!r->wants || step->fault == BEGIN_TOO)
        tell(s, BEGIN, receive, message);
}

static bool takes(const struct receive *r, int kind)
{
    return !r->with && (r->kind == kind || (r->kind == ANYBODY && kind == 0));
}

static bool may_want(const struct step *step, const struct state *s, int kind)
{
    if (kind == ANYBODY)
        return false;
    for (int i = 1; i < s->posted; i++) {
        const struct receive *r = &s->receives[i];
        if (!r->with && r->kind == ANYBODY && step->fault != WITH_ANYBODY)
            return false;
        if (!r->with && r->kind == kind && !r->wants && step->fault != BEHIND_OTHERS)
            return false;
    }
    return true;
}

static bool post(struct step *step, struct state *s, int kind)
{
    if (s->posted == calls(step) || (step->scenario == 0 && kind > 0))
        return false;
    int receive = ++s->posted;
    struct receive *r = &s->receives[receive];
    r->kind = (uint8_t)kind;
    say(step, "receive %d, %s %d", receive, kind == ANYBODY ? "from anybody, kind" : "kind", kind % ANYBODY);
    for (int n = 1; n <= s->heard; n++)
        if (!s->messages[n].with && takes(r, s->messages[n].kind)) {
            meet(step, s, n, receive);
            return true;
        }
    r->wants = may_want(step, s, kind);
    if (r->wants)
        tell(s, WANT, receive, 0);
    return true;
}

static bool hear(struct step *step, struct state *s)
{
    if (s->heard == s->sent)
        return false;
    int n = ++s->heard, receive = 1;
    while (receive <= s->posted && !takes(&s->receives[receive], s->messages[n].kind))
        receive++;
    if (receive <= s->posted)
        meet(step, s, n, receive);
    return true;
}

static bool stranger(struct step *step, struct state *s)
{
    for (int i = 1; i <= s->posted && !s->strangers; i++)
        if (!s->receives[i].with && s->receives[i].kind == ANYBODY) {
            say(step, "another sender's message meets receive %d", i);
            s->receives[i].with = STRANGERS;
            s->strangers++;
            return true;
        }
    return false;
}

/* ---- the walk ------------------------------------------------------------------------------------------ */

static bool early_move(struct step *step, int number)
{
    struct state *s = step->state;
    if (number < POST)
        return send(step, s, number % KINDS, number >= SEND_ODD);
    return number < HEAR      ? post(step, s, number - POST)
           : number == HEAR   ? hear(step, s)
           : number == ANSWER ? answer(step, s)
                              : stranger(step, s);
}

static const char *early_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 1; i <= s->posted; i++) {
        int n = s->receives[i].with;
        if (n && n != STRANGERS && s->receives[i].data != (s->messages[n].odd ? 0 : n))
            return "a message has met its receive, and its data have not come";
    }
    return NULL;
}

const struct model model_early = {
    .name = "early receives",
    .promise = "long data come to the receive that their message met, asked for or wanted",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = early_move,
    .end = early_end,
};
