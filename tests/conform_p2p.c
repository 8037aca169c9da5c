/* conform_p2p.c: tensors sent from rank to rank in every pattern that the lessons use. */
#define _GNU_SOURCE
#include "conform.h"

#include <unistd.h>

#define MOST 8 /* ranks */

/* One round of messages. What `from` tells `to` is the same on all ranks, and differs for every pair. */
struct talk {
    struct exam *exam;
    const struct pool *pool;
    enum dist_type type;
    int64_t count, at;
    int rank, size;
    int tag;        /* of this round only: a faster rank's next round must not be taken for this one */
    uint64_t *dice; /* this rank's own */
};

static const void *told(const struct talk *t, int from, int to)
{
    return pool_in(t->pool, from, t->at + to);
}

/* A tensor for what `from` tells `to`: full on the sender's side, of zeros on the other. */
static struct box letter(const struct talk *t, int from, int to, bool full)
{
    struct box box = box_new(t->type, t->count, ref_below(t->dice, 2) ? 1 + 2 * ref_below(t->dice, 3) : 0);
    if (full)
        box_put(&box, told(t, from, to));
    return box;
}

static void check(const struct talk *t, const struct box *box, int from, int to, const char *pattern)
{
    char what[120];
    snprintf(what, sizeof what, "%s, rank %d of %d, from %d to %d", pattern, t->rank, t->size, from, to);
    box_check(t->exam, box, told(t, from, to), what);
}

/* Wait for works in an order of this rank's own. */
static void wait_shuffled(const struct talk *t, dist_work **works, int count)
{
    for (int left = count; left > 0; left--) {
        int i = (int)ref_below(t->dice, left);
        int result = dist_wait(works[i]);
        exam_check(t->exam, result >= 0, "dist_wait gave %d", result);
        works[i] = works[left - 1];
    }
}

/* ---- the patterns ------------------------------------------------------------------- */

/* 0 -> 1 -> 2 -> 0, with blocking calls: even ranks send first, odd ones receive first. */
static void ring_by_order(const struct talk *t)
{
    int next = (t->rank + 1) % t->size, before = (t->rank + t->size - 1) % t->size, from = before;
    if (t->size == 1)
        return;
    struct box out = letter(t, t->rank, next, true), in = letter(t, before, t->rank, false);
    if (t->rank % 2 == 0)
        exam_check(t->exam, dist_send(out.view, next, .tag = t->tag) == 0, "dist_send did not give 0");
    from = dist_recv(in.view, before, .tag = t->tag);
    if (t->rank % 2 == 1)
        exam_check(t->exam, dist_send(out.view, next, .tag = t->tag) == 0, "dist_send did not give 0");
    exam_check(t->exam, from == before, "dist_recv gave %d and must give %d", from, before);
    check(t, &in, before, t->rank, "ring by order");
    check(t, &out, t->rank, next, "ring by order (what was sent)");
    box_free(&in);
    box_free(&out);
}

/* The same with non-blocking calls; of one rank: a message to itself. */
static void ring_nonblocking(const struct talk *t)
{
    int next = (t->rank + 1) % t->size, before = (t->rank + t->size - 1) % t->size;
    struct box out = letter(t, t->rank, next, true), in = letter(t, before, t->rank, false);
    bool send_first = ref_below(t->dice, 2);
    dist_work *send = send_first ? dist_isend(out.view, next, .tag = t->tag) : NULL;
    dist_work *recv = dist_irecv(in.view, before, .tag = t->tag);
    if (!send_first)
        send = dist_isend(out.view, next, .tag = t->tag);
    wait_shuffled(t, (dist_work *[]){ send, recv }, 2);
    check(t, &in, before, t->rank, "ring nonblocking");
    check(t, &out, t->rank, next, "ring nonblocking (what was sent)");
    box_free(&in);
    box_free(&out);
}

/* Everybody tells everybody something, itself too. */
static void all_pairs(const struct talk *t)
{
    struct box in[MOST], out[MOST];
    dist_work *works[2 * MOST];
    for (int peer = 0; peer < t->size; peer++) {
        out[peer] = letter(t, t->rank, peer, true);
        in[peer] = letter(t, peer, t->rank, false);
        works[peer] = dist_isend(out[peer].view, peer, .tag = t->tag);
    }
    for (int peer = 0; peer < t->size; peer++)
        works[t->size + peer] = dist_irecv(in[peer].view, peer, .tag = t->tag);
    exam_check(t->exam, dist_wait_all(works, 2 * t->size) == 0, "dist_wait_all did not give 0");
    for (int peer = 0; peer < t->size; peer++) {
        check(t, &in[peer], peer, t->rank, "all pairs");
        box_free(&in[peer]);
        box_free(&out[peer]);
    }
}

/* The same, each taken as it comes; one rank in three has nothing of its own to send at first. */
static void all_pairs_as_they_come(const struct talk *t)
{
    struct box in[MOST], out[MOST];
    dist_work *works[2 * MOST + 1] = { NULL };
    int count = 2 * t->size + 1, from = -1, found = 0;
    for (int peer = 0; peer < t->size; peer++) {
        out[peer] = letter(t, t->rank, peer, true);
        in[peer] = letter(t, peer, t->rank, false);
        works[2 * peer] = dist_irecv(in[peer].view, peer, .tag = t->tag);
    }
    if (t->rank % 3 == 2)
        usleep(500);
    for (int peer = 0; peer < t->size; peer++)
        works[2 * peer + 1] = dist_isend(out[peer].view, peer, .tag = t->tag);
    for (int i; (i = dist_wait_any(works, count, .source = &from)) >= 0; found++) {
        int peer = i / 2, sent = i % 2;
        exam_check(t->exam, works[i] == NULL, "dist_wait_any left the work at %d", i);
        exam_check(t->exam, from == (sent ? 0 : peer), "dist_wait_any gave source %d at %d", from, i);
        if (!sent)
            check(t, &in[peer], peer, t->rank, "all pairs as they come");
    }
    exam_check(t->exam, found == 2 * t->size, "dist_wait_any found %d works of %d", found, 2 * t->size);
    for (int peer = 0; peer < t->size; peer++) {
        box_free(&in[peer]);
        box_free(&out[peer]);
    }
}

/* The same as one batch, its sends and receives in an order of each rank's own. */
static void all_pairs_batch(const struct talk *t)
{
    struct box in[MOST], out[MOST];
    dist_p2p_op ops[2 * MOST];
    dist_work *works[2 * MOST];
    for (int peer = 0; peer < t->size; peer++) {
        out[peer] = letter(t, t->rank, peer, true);
        in[peer] = letter(t, peer, t->rank, false);
        ops[2 * peer] = (dist_p2p_op){ DIST_ISEND, out[peer].view, peer, .tag = t->tag };
        ops[2 * peer + 1] = (dist_p2p_op){ DIST_IRECV, in[peer].view, peer, .tag = t->tag };
    }
    for (int left = 2 * t->size; left > 1; left--) {
        int other = (int)ref_below(t->dice, left);
        dist_p2p_op op = ops[left - 1];
        ops[left - 1] = ops[other];
        ops[other] = op;
    }
    int status = dist_batch_isend_irecv(ops, 2 * t->size, works);
    exam_check(t->exam, status == 0, "dist_batch_isend_irecv gave %d", status);
    wait_shuffled(t, works, 2 * t->size);
    for (int peer = 0; peer < t->size; peer++) {
        check(t, &in[peer], peer, t->rank, "batch");
        box_free(&in[peer]);
        box_free(&out[peer]);
    }
}

/* Everybody tells all others; nobody says from whom it will hear first. */
static void any_source(const struct talk *t)
{
    struct box out[MOST];
    dist_work *sends[MOST];
    bool heard[MOST] = { false };
    int others = 0;
    for (int peer = 0; peer < t->size; peer++) {
        if (peer == t->rank)
            continue;
        out[others] = letter(t, t->rank, peer, true);
        sends[others] = dist_isend(out[others].view, peer, .tag = t->tag);
        others++;
    }
    for (int i = 0; i < others; i++) {
        struct box in = letter(t, 0, t->rank, false);
        int from = i % 2 ? dist_recv(in.view, DIST_ANY_SOURCE, .tag = t->tag)
                         : dist_wait(dist_irecv(in.view, DIST_ANY_SOURCE, .tag = t->tag));
        bool known = from >= 0 && from < t->size && from != t->rank;
        if (exam_check(t->exam, known && !heard[from], "any source gave rank %d, or gave it twice", from)) {
            heard[from] = true;
            check(t, &in, from, t->rank, "any source");
        }
        box_free(&in);
    }
    wait_shuffled(t, sends, others);
    for (int i = 0; i < others; i++)
        box_free(&out[i]);
}

/* Rank 0 deals out with blocking sends and collects with blocking receives, in opposite orders. */
static void star(const struct talk *t)
{
    struct box box = letter(t, t->rank ? 0 : 1, t->rank, false);
    for (int peer = 1; t->rank == 0 && peer < t->size; peer++) {
        box_put(&box, told(t, 0, peer));
        dist_send(box.view, peer, .tag = t->tag);
    }
    for (int peer = t->size - 1; t->rank == 0 && peer > 0; peer--) {
        int from = dist_recv(box.view, peer, .tag = t->tag);
        exam_check(t->exam, from == peer, "dist_recv gave %d and must give %d", from, peer);
        check(t, &box, peer, 0, "star");
    }
    if (t->rank > 0) {
        dist_recv(box.view, 0, .tag = t->tag);
        check(t, &box, 0, t->rank, "star");
        box_put(&box, told(t, t->rank, 0));
        dist_send(box.view, 0, .tag = t->tag);
    }
    box_free(&box);
}

/* ---- every pattern x type x count ------------------------------------------------------ */

void conform_p2p(struct exam *exam, int rank, int size)
{
    static void (*const patterns[])(const struct talk *) = {
        ring_by_order, ring_nonblocking, all_pairs, all_pairs_as_they_come, all_pairs_batch, any_source, star,
    };
    const struct conform *conform = exam->given;
    uint64_t common = exam->seed, own = exam->seed + (uint64_t)rank + 1;
    int count = sizeof patterns / sizeof patterns[0];
    for (int i = 0; i < count * REF_TYPES * CONFORM_COUNTS; i++) {
        enum dist_type type = (enum dist_type)(i / count % REF_TYPES);
        int which = i / count / REF_TYPES;
        struct talk talk = { .exam = exam,
                             .pool = &conform->pools[type],
                             .type = type,
                             .rank = rank,
                             .size = size,
                             .tag = i,
                             .dice = &own };
        talk.count = conform_count(type, which);
        talk.at = ref_below(&common, talk.pool->count - talk.count - MOST);
        bool large = which == CONFORM_COUNTS - 1;
        /* A megabyte for every pair of 8 ranks takes its time: then one type and pattern in four. */
        if (!large || (size <= 4 && !conform->sparse) || ref_below(&common, 4) == 0)
            patterns[i % count](&talk);
    }
    exam_check(exam, true, "none");
}
