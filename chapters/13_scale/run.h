/* run.h: ranks follow their scripts, and their messages the protocol (message.h). simulate() gives the seconds until the last is done. */
#ifndef RUN_H
#define RUN_H

#include "message.h"

static inline void begin_swap(struct sim *s, int rank)
{
    struct rank_state *r = &s->ranks[rank];
    struct swap *swap = swap_now(s, rank);
    r->out = swap->to >= 0;
    r->in = swap->from >= 0 ? WANTED : NOTHING;
    if (r->out)
        set_out(s, rank, swap);
    if (r->in == WANTED && s->messages[swap->from].to == rank)
        try_answer(s, swap->from);
}

/* All ranks repeat the same swap, and the last two have taken all of them equally long: so will the next, but for the last two. What
 * happens is shifted in time and nothing else, so the clock may jump. */
static inline void skip_ahead(struct sim *s)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < s->network.ranks; i++)
        least = s->ranks[i].over ? 0 : least < s->ranks[i].left ? least : s->ranks[i].left;
    s->epoch++;
    s->steady = 0;
    if (least < 8)
        return;
    for (int i = 0; i < s->network.ranks; i++)
        s->ranks[i].left -= least - 4;
    s->skipped += (double)(least - 4) * s->every;
}

static inline void watch_rhythm(struct sim *s, struct rank_state *r)
{
    double took = s->now - r->ended;
    r->ended = s->now;
    if (fabs(took - s->every) > 1e-9 * took) {
        s->every = took;
        s->epoch++;
        s->steady = 0;
    }
    r->same = r->epoch == s->epoch ? r->same + 1 : 1;
    r->epoch = s->epoch;
    s->steady += r->same == 3;
    if (s->steady == s->network.ranks)
        skip_ahead(s);
}

static inline void go_on(struct sim *s, int rank)
{
    struct rank_state *r = &s->ranks[rank];
    if (r->out || r->in != NOTHING)
        return;
    if (--r->left == 0) {
        r->over = ++r->at == r->script.count;
        s->going -= r->over;
        if (!r->over)
            r->left = r->script.swaps[r->at].times;
    }
    watch_rhythm(s, r);
    if (!r->over)
        begin_swap(s, rank);
}

static inline void sender_is_free(struct sim *s, int from)
{
    s->messages[from].phase = IDLE;
    s->ranks[from].out = false;
    go_on(s, from);
}

static inline void message_happens(struct sim *s, int from)
{
    struct message *m = &s->messages[from];
    if (m->phase == SETS_OUT) {
        off_its_links(s, from);
        announce(s, from);
    } else if (m->phase == ANNOUNCED) {
        m->phase = WAITING;
        try_answer(s, from);
    } else if (m->phase == ANSWERED && !m->whole) {
        on_its_links(s, from, m->rest, MOVING);
    } else {
        if (m->phase == MOVING) { /* its last byte has left */
            off_its_links(s, from);
            due_at(s, s->network.ranks + m->to, s->now + protocol_between(&s->network, from, m->to)->flight);
        }
        sender_is_free(s, from);
    }
}

static inline void happens(struct sim *s, int event)
{
    int n = s->network.ranks;
    if (event < n) {
        message_happens(s, event);
        return;
    }
    s->ranks[event - n].in = NOTHING;
    go_on(s, event - n);
}

static inline double run_to_end(struct sim *s)
{
    for (int i = 0; i < s->network.ranks; i++)
        if (!s->ranks[i].over)
            begin_swap(s, i);
    share_links(s);
    while (s->going > 0 && s->heap_count > 0) {
        s->now = s->events[s->heap[0]].due;
        double together = s->now * (1 + 1e-12);
        while (s->heap_count > 0 && s->events[s->heap[0]].due <= together)
            happens(s, heap_take(s));
        share_links(s);
    }
    if (s->going > 0) {
        fprintf(stderr, "%d ranks wait for messages that nobody sends\n", s->going);
        exit(2);
    }
    return s->now + s->skipped;
}

static inline struct sim sim_new(const struct network *network, double scale)
{
    int n = network->ranks, links = links_count(network);
    struct sim s = { .network = *network, .scale = scale, .going = n };
    s.ranks = calloc((size_t)n, sizeof *s.ranks);
    s.messages = calloc((size_t)n, sizeof *s.messages);
    s.links = calloc((size_t)links, sizeof *s.links);
    s.events = calloc((size_t)n, 2 * sizeof *s.events);
    s.heap = calloc((size_t)n, 2 * sizeof *s.heap);
    s.dirty = calloc((size_t)links, sizeof *s.dirty);
    if (!s.ranks || !s.messages || !s.links || !s.events || !s.heap || !s.dirty)
        no_memory();
    for (int i = 0; i < 2 * n; i++)
        s.events[i].heap = -1;
    return s;
}

static inline void sim_free(struct sim *s)
{
    for (int i = 0; i < s->network.ranks; i++)
        free(s->ranks[i].script.swaps);
    for (int i = 0; i < links_count(&s->network); i++)
        free(s->links[i].messages);
    free(s->ranks);
    free(s->messages);
    free(s->links);
    free(s->events);
    free(s->heap);
    free(s->dirty);
}

/* Seconds of an all-reduce of `bytes` by that algorithm. order: where rank i stands, NULL: in place i. */
static inline double simulate(const struct network *network, const char *name, double bytes, const int *order)
{
    int n = network->ranks;
    struct sim s = sim_new(network, bytes / n);
    void *x = calloc((size_t)n + 1, 1);
    if (!x)
        no_memory();
    for (int i = 0; i < n; i++) {
        struct script script = script_of(name, i, n, network->per_node, x, n);
        for (int k = 0; order && k < script.count; k++) {
            script.swaps[k].to = script.swaps[k].to < 0 ? -1 : order[script.swaps[k].to];
            script.swaps[k].from = script.swaps[k].from < 0 ? -1 : order[script.swaps[k].from];
        }
        struct rank_state *r = &s.ranks[order ? order[i] : i];
        r->script = script;
        r->over = script.count == 0;
        r->left = r->over ? 0 : script.swaps[0].times;
        s.going -= r->over;
    }
    free(x);
    double seconds = run_to_end(&s);
    sim_free(&s);
    return seconds;
}

#endif
