/*
 * message.h: what happens to a message, until its receiver has it and its sender is free (run.h lets ranks send and receive them).
 *
 *     sender     early data, announce    the rest . . . free
 *                        \              ^   \            \
 *                         \ RTS        / CTS \            \ flight
 *                          v          /       v            v
 *     receiver             wanted? answer      . . . . . . there
 *
 * That is a rendezvous. With no early data it goes three times over the cable. Who receives late has the RTS already, and loses only the
 * last two; who sends has lost the first two when it is free. A message that is early as a whole goes once, and is there when it is wanted;
 * its sender is free when it has the answer.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "sim.h"

static inline struct swap *swap_now(const struct sim *s, int rank)
{
    const struct rank_state *r = &s->ranks[rank];
    return r->over ? NULL : &r->script.swaps[r->at];
}

/* In an exchange of small messages each says what its sender waits for, and to the one which that is nothing need be answered. */
static inline bool needs_no_answer(const struct sim *s, int from)
{
    const struct message *m = &s->messages[from];
    const struct swap *mine = swap_now(s, from), *theirs = swap_now(s, m->to);
    return mine->from == m->to && theirs->to == from &&
           (double)mine->out * s->scale <= protocol_between(&s->network, from, m->to)->small;
}

/* It is announced where it goes. Who waits for it answers, and has it, if all of it was early. */
static inline void try_answer(struct sim *s, int from)
{
    struct message *m = &s->messages[from];
    struct rank_state *receiver = &s->ranks[m->to];
    if (m->phase != WAITING || receiver->in != WANTED || swap_now(s, m->to)->from != from)
        return;
    receiver->in = COMES;
    m->phase = ANSWERED;
    double answer = needs_no_answer(s, from) ? 0 : protocol_between(&s->network, from, m->to)->answer;
    due_at(s, from, s->now + answer);
    if (m->whole)
        due_at(s, s->network.ranks + m->to, s->now);
}

static inline void on_its_links(struct sim *s, int from, double bytes, enum phase phase)
{
    struct message *m = &s->messages[from];
    m->phase = phase;
    m->bytes = bytes;
    m->rate = 0;
    m->since = s->now;
    m->count = bytes > 0 ? way_between(&s->network, from, m->to, m->links) : 0;
    if (m->count == 0)
        due_at(s, from, s->now);
    for (int k = 0; k < m->count; k++)
        link_join(s, from, k);
}

static inline void off_its_links(struct sim *s, int from)
{
    struct message *m = &s->messages[from];
    for (int k = 0; k < m->count; k++)
        link_leave(s, from, k);
}

static inline void announce(struct sim *s, int from)
{
    struct message *m = &s->messages[from];
    m->phase = ANNOUNCED;
    due_at(s, from, s->now + protocol_between(&s->network, from, m->to)->announce);
}

static inline void set_out(struct sim *s, int from, const struct swap *swap)
{
    struct message *m = &s->messages[from];
    m->to = swap->to;
    double bytes = (double)swap->out * s->scale, early = protocol_between(&s->network, from, m->to)->early;
    m->whole = early > 0 && bytes <= early;
    m->rest = fmax(0, bytes - early);
    if (early > 0)
        on_its_links(s, from, bytes - m->rest, SETS_OUT);
    else
        announce(s, from);
}

#endif
