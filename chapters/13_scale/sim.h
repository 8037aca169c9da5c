/*
 * sim.h: discrete events. Thousands of ranks follow their scripts on a network; the clock goes from one event to the next.
 *
 *     sets out, announced ---> wanted, answered ---> the rest on its links, at the rate that they have left ---> arrived
 *                                                    (a message that comes or goes changes the rate of all on its links)
 *
 * A rank goes on when it is free of its message, and the other has come, as in chapter 08. So it sends one message at a time, and receives one:
 * of what happens next, event i is that of the message that rank i sends, and event n + i that of the data that come to rank i.
 */
#ifndef SIM_H
#define SIM_H

#include "network.h"
#include "script.h"

#include <math.h>

enum phase { IDLE, SETS_OUT, ANNOUNCED, WAITING, ANSWERED, MOVING };
enum wish { NOTHING, WANTED, COMES }; /* of a receiver: not yet there or done; it waits; it has answered */

struct message {
    enum phase phase;
    int to, links[MOST_LINKS], count;
    int place[MOST_LINKS];     /* in the list of each link */
    double bytes, rate, since; /* left; a second; when that was so */
    double rest;               /* bytes that wait for the answer */
    bool whole;                /* all of it sets out early */
};

struct rank_state {
    struct script script;
    int at;       /* swap */
    int64_t left; /* repetitions of it, this one included */
    bool out;     /* it is not free of its message */
    enum wish in;
    bool over;
    double ended; /* when the last swap was done */
    int epoch, same;
};

struct link {
    int *messages, count, room;
    bool dirty;
};

struct event {
    double due;
    int heap; /* its place in the heap; -1: not due */
};

struct sim {
    struct network network;
    double scale; /* bytes an element stands for */
    struct rank_state *ranks;
    struct message *messages;
    struct link *links;
    struct event *events;
    int *heap, heap_count, *dirty, dirty_count;
    double now, skipped, every;
    int epoch, steady, going;
};

/* ---- events: a heap, the earliest on top ---------------------------------------------------- */

static inline void heap_put(struct sim *s, int i, int event)
{
    s->heap[i] = event;
    s->events[event].heap = i;
}

static inline void heap_move(struct sim *s, int i)
{
    int event = s->heap[i];
    double due = s->events[event].due;
    for (; i > 0 && s->events[s->heap[(i - 1) / 2]].due > due; i = (i - 1) / 2)
        heap_put(s, i, s->heap[(i - 1) / 2]);
    for (;;) {
        int child = 2 * i + 1;
        if (child + 1 < s->heap_count && s->events[s->heap[child + 1]].due < s->events[s->heap[child]].due)
            child++;
        if (child >= s->heap_count || s->events[s->heap[child]].due >= due)
            break;
        heap_put(s, i, s->heap[child]);
        i = child;
    }
    heap_put(s, i, event);
}

static inline void due_at(struct sim *s, int event, double due)
{
    struct event *e = &s->events[event];
    e->due = due;
    if (e->heap < 0)
        heap_put(s, s->heap_count++, event);
    heap_move(s, e->heap);
}

static inline int heap_take(struct sim *s)
{
    int first = s->heap[0], last = s->heap[--s->heap_count];
    s->events[first].heap = -1;
    if (s->heap_count > 0) {
        heap_put(s, 0, last);
        heap_move(s, 0);
    }
    return first;
}

/* ---- links: who is on them -------------------------------------------------------------------- */

static inline void link_touched(struct sim *s, int link)
{
    if (!s->links[link].dirty)
        s->dirty[s->dirty_count++] = link;
    s->links[link].dirty = true;
}

static inline void link_join(struct sim *s, int message, int k)
{
    struct message *m = &s->messages[message];
    struct link *link = &s->links[m->links[k]];
    if (link->count == link->room) {
        link->room = link->room ? 2 * link->room : 2;
        link->messages = realloc(link->messages, (size_t)link->room * sizeof *link->messages);
        if (!link->messages)
            no_memory();
    }
    m->place[k] = link->count;
    link->messages[link->count++] = message;
    link_touched(s, m->links[k]);
}

static inline void link_leave(struct sim *s, int message, int k)
{
    struct message *m = &s->messages[message];
    struct link *link = &s->links[m->links[k]];
    int last = link->messages[--link->count], place = m->place[k];
    link->messages[place] = last;
    for (int i = 0; i < s->messages[last].count; i++)
        if (s->messages[last].links[i] == m->links[k])
            s->messages[last].place[i] = place;
    link_touched(s, m->links[k]);
}

/* What has moved has moved; from now on it goes at another rate. */
static inline void set_rate(struct sim *s, int message)
{
    struct message *m = &s->messages[message];
    double rate = INFINITY;
    for (int k = 0; k < m->count; k++)
        rate = fmin(rate, link_rate(&s->network, m->links[k]) / s->links[m->links[k]].count);
    if (rate == m->rate)
        return;
    m->bytes = fmax(0, m->bytes - m->rate * (s->now - m->since));
    m->since = s->now;
    m->rate = rate;
    due_at(s, message, s->now + m->bytes / rate);
}

static inline void share_links(struct sim *s)
{
    for (int i = 0; i < s->dirty_count; i++) {
        struct link *link = &s->links[s->dirty[i]];
        link->dirty = false;
        for (int k = 0; k < link->count; k++)
            set_rate(s, link->messages[k]);
    }
    s->dirty_count = 0;
}

#endif
