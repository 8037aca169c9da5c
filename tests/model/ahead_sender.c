/* ahead_sender.c: the sender in the model of receives that begin ahead (ahead.c), and its thread of Gloo's. */
#include "ahead.h"

#include <string.h>

static void ahead_put_on_way(struct state *s, int item)
{
    s->way[strlen((const char *)s->way)] = (uint8_t)item;
}

/* Gloo, at the sender: the data leave if it knows their receive. */
static bool ahead_go(struct step *step, struct state *s, int n)
{
    uint8_t tag = s->messages[n].tag;
    for (int i = 1; i <= s->posted && !s->messages[n].gone; i++) {
        const struct receive *r = &s->receives[i];
        if (r->old != tag && (r->begun != tag || !r->told))
            continue;
        say(step, "the data of message %d leave", n);
        s->messages[n].gone = 1;
        ahead_put_on_way(s, DATA + n);
        return true;
    }
    return false;
}

bool ahead_send(struct step *step, struct state *s, int kind, bool is_short)
{
    if (s->sent == CALLS)
        return false;
    uint8_t n = ++s->sent;
    struct message *m = &s->messages[n];
    *m = (struct message){
        .kind = (uint8_t)kind, .nth = ++s->sends[kind], .note = WAITS, .is_short = is_short
    };
    say(step, is_short ? "short message %d, kind %d" : "message %d, kind %d", n, kind);
    if (is_short) {
        s->short_sends[kind]++;
        return true;
    }
    m->seq = s->long_sends++;
    m->tag = tag_of(step, m->seq, s->short_sends[kind], kind);
    bool meets = ahead_go(step, s, n);
    m->note = meets ? NONE : WAITS;
    s->counted_out += meets && step->fault != UNCOUNTED ? 2 : 1; /* if they leave at once, its own end, too */
    return true;
}

bool ahead_leave(struct step *step, struct state *s)
{
    uint8_t n = ahead_waits(s);
    if (!n)
        return false;
    say(step, "the note of message %d leaves", n);
    s->messages[n].note = LEFT;
    ahead_put_on_way(s, n);
    s->counted_out++;
    return true;
}

bool ahead_hear_begun(struct step *step, struct state *s, int receive)
{
    struct receive *r = &s->receives[receive];
    if (!r->begun || r->told)
        return false;
    r->told = 1;
    say(step, "the sender's Gloo knows that receive %d has begun", receive);
    for (int n = 1; n <= s->sent; n++)
        if (!s->messages[n].is_short && !s->messages[n].gone)
            ahead_go(step, s, n);
    return true;
}

bool ahead_see(struct step *step, struct state *s, int n)
{
    struct message *m = &s->messages[n];
    if (!m->gone || m->over || ahead_waits(s))
        return false;
    say(step, "the send of message %d is over", n);
    m->over = 1;
    s->counted_in++;
    return true;
}
