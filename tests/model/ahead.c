/*
 * ahead.c: the model of receives that begin before their message has come: lib/backends/transport/ahead.c.
 *
 * One sender, one receiver, on two machines. Between them a connection of Gloo's, which keeps notes and data in order. At each end a thread
 * of Gloo's: the sender's hears which receives have begun; the receiver's gives data to the one that has begun under their tag, and
 * notes to the rank, which reads them later. Messages are of two kinds (a group and a tag), long or short; receives are for long ones, so a
 * short one is refused. Shown is that data come into the tensor of the receive that their note would have met, that what has met is over,
 * and that a watcher, who sees who sleeps and what was counted, says that nobody can move only when that is so.
 */
#include "ahead.h"

#include <string.h>

enum {
    SEND,
    SEND_SHORT = SEND + KINDS,
    POST = SEND_SHORT + KINDS,
    LEAVE = POST + KINDS,
    ARRIVE,
    READ,
    LOOK,
    BEGUN,
    SEE = BEGUN + CALLS
};
enum { MOVES = SEE + CALLS };

static const struct scenario scenarios[] = { { "three messages, three receives", MOVES }, { 0 } };

static const struct fault faults[] = {
    { "a message meets a receive, and nobody has looked whose data have come before", 0 },
    { "a late note is taken for a new message", 0 },
    { "data without a note are not counted", 0 },
    { "a receive begins ahead that is not the first of its kind", 0 },
    { "the number of a message is not in its tag", 0 },
    { "how many short ones there were before is not in the tag of a message", 0 },
    { 0 }
};

/* ---- the receiver ------------------------------------------------------------------------------------ */

/* What had begun under another tag is taken back. */
static void begin(struct receive *r, uint8_t tag)
{
    *r = (struct receive){ r->kind, r->nth, r->with, .begun = tag, .old = r->begun };
}

/* The data are in the tensor of the receive that has begun ahead. */
static bool look(struct step *step, struct state *s)
{
    struct receive *r = &s->receives[s->ahead];
    if (!s->ahead || !r->data)
        return false;
    say(step, "the receiver sees that the data for receive %d have come", s->ahead);
    r->with = r->data;
    s->ahead = 0;
    s->heard++;
    s->messages[r->data].known = 1;
    s->counted_in += step->fault != UNCOUNTED || s->messages[r->data].note != NONE;
    return true;
}

static void meet(struct step *step, struct state *s, int n, int receive)
{
    struct receive *r = &s->receives[receive];
    say(step, "message %d meets receive %d", n, receive);
    r->with = (uint8_t)n;
    s->counted_out++;
    s->ahead = s->ahead == receive ? 0 : s->ahead;
    if (r->begun != s->messages[n].tag)
        begin(r, s->messages[n].tag);
    if (s->messages[n].is_short) {
        r->data = (uint8_t)n;
        s->messages[n].gone = 1; /* the answer is under way */
    }
}

/* The first that is posted, or heard, of a kind, and has met none; 0: there is none. */
static int waiting_receive(const struct state *s, int kind)
{
    for (int i = 1; i <= s->posted; i++)
        if (!s->receives[i].with && s->receives[i].kind == kind)
            return i;
    return 0;
}

static int waiting_message(const struct state *s, int kind)
{
    for (int n = 1; n <= s->sent; n++) {
        bool met = !s->messages[n].known;
        for (int i = 1; i <= s->posted; i++)
            met |= s->receives[i].with == n;
        if (!met && s->messages[n].kind == kind)
            return n;
    }
    return 0;
}

static bool post(struct step *step, struct state *s, int kind)
{
    if (s->posted == CALLS)
        return false;
    int receive = ++s->posted, n = waiting_message(s, kind);
    s->receives[receive] = (struct receive){ .kind = (uint8_t)kind, .nth = ++s->posts[kind] };
    say(step, "receive %d, kind %d", receive, kind);
    if (n) {
        meet(step, s, n, receive);
    } else if (!s->ahead && (waiting_receive(s, kind) == receive || step->fault == SECOND)) {
        s->ahead = (uint8_t)receive;
        begin(&s->receives[receive], tag_of(step, s->heard, s->short_heard[kind], kind));
    }
    return true;
}

/* Gloo, at the receiver. */
static bool arrive(struct step *step, struct state *s)
{
    uint8_t item = s->way[0], n = item % DATA, into = 1;
    if (!item)
        return false;
    memmove(s->way, s->way + 1, sizeof s->way - 1);
    s->way[sizeof s->way - 1] = 0;
    say(step, item > DATA ? "the data of message %d arrive" : "the note of message %d arrives", n);
    if (item < DATA) {
        s->messages[n].note = CAME;
        return true;
    }
    const struct message *m = &s->messages[n];
    for (int i = 1; i <= s->posted; i++)
        if (s->receives[i].old == m->tag)
            step->broken = "data come for a receive that was taken back";
    while (into <= s->posted && (s->receives[into].begun != m->tag || s->receives[into].data))
        into++;
    struct receive *r = &s->receives[into];
    if (into > s->posted || r->kind != m->kind || r->nth != m->nth)
        step->broken = "data come into a tensor that is not theirs";
    r->data = n;
    return true;
}

/* A new message, or one whose data have come before its note. */
static bool hear(struct step *step, struct state *s, struct message *m)
{
    bool late = !m->is_short && m->seq != s->heard && step->fault != LATE_IS_NEW;
    s->counted_in++;
    if (late) {
        s->counted_out++;
        return false;
    }
    if (m->is_short) {
        s->short_heard[m->kind]++;
    } else {
        s->heard = m->seq + 1;
        s->counted_in++;
    }
    m->known = 1;
    return true;
}

static bool read(struct step *step, struct state *s)
{
    int n = 1;
    while (n <= s->sent && s->messages[n].note != CAME)
        n++;
    if (n > s->sent)
        return false;
    struct message *m = &s->messages[n];
    if (step->fault != UNSETTLED)
        look(step, s);
    say(step, "the receiver reads the note of message %d", n);
    m->note = WAS_READ;
    int receive = hear(step, s, m) ? waiting_receive(s, m->kind) : 0;
    if (receive)
        meet(step, s, n, receive);
    return true;
}

/* ---- the watcher --------------------------------------------------------------------------------------- */

/* A sender naps while a note is about to leave, a receiver while the data of what it has met are on their way. A late note moves nobody. */
static void watch(struct step *step, const struct state *s)
{
    bool sleep = !ahead_waits(s), moves = false;
    for (int i = 1; i <= s->posted; i++) {
        sleep &= !s->receives[i].with || s->receives[i].data;
        moves |= s->receives[i].data && !s->receives[i].with;
    }
    for (int n = 1; n <= s->sent; n++) {
        const struct message *m = &s->messages[n];
        moves |= (m->gone && !m->over) || (!m->known && (m->gone || m->note == LEFT || m->note == CAME));
    }
    if (sleep && moves && s->counted_in == s->counted_out)
        step->broken = "the watcher sees nothing under way, and something is";
}

static bool ahead_move(struct step *step, int number)
{
    struct state *s = step->state;
    bool moved = number < SEND_SHORT ? ahead_send(step, s, number - SEND, false)
                 : number < POST     ? ahead_send(step, s, number - SEND_SHORT, true)
                 : number < LEAVE    ? post(step, s, number - POST)
                 : number == LEAVE   ? ahead_leave(step, s)
                 : number == ARRIVE  ? arrive(step, s)
                 : number == READ    ? read(step, s)
                 : number == LOOK    ? look(step, s)
                 : number < SEE      ? ahead_hear_begun(step, s, number - BEGUN + 1)
                                     : ahead_see(step, s, number - SEE + 1);
    if (moved)
        watch(step, s);
    return moved;
}

static const char *ahead_end(struct step *step)
{
    const struct state *s = step->state;
    for (int i = 1; i <= s->posted; i++) {
        int n = waiting_message(s, s->receives[i].kind);
        int with = s->receives[i].with;
        if (with ? !s->receives[i].data || !s->messages[with].over : n > 0)
            return "a message is for a receive, and one of the two has not ended";
    }
    for (int n = 1; n <= s->sent; n++)
        if (!s->messages[n].known)
            return "the receiver has not heard of a message";
    return NULL;
}

const struct model model_ahead = {
    .name = "ahead",
    .promise = "long data that need no note come to their receive, and nobody is called stuck who is not",
    .bytes = sizeof(struct state),
    .scenarios = scenarios,
    .faults = faults,
    .move = ahead_move,
    .end = ahead_end,
};
