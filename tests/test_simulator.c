/*
 * test_simulator.c: chapter 13's simulator. Does a message cost each end what it should, and is the lesson's table of a cluster what the
 * simulator says today, within the error that the lesson promises?
 */
#define _GNU_SOURCE
#include "../chapters/13_scale/run.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define RECORDING "chapters/13_scale/recorded/measured.txt"

enum { WAYS = 4, LINE = 400 };

static const char *const ways[WAYS] = { "tree", "ring", "halving", "levels" };

static double alpha_of(struct latency l)
{
    return l.announce + l.answer + l.flight;
}

static struct network in_one_piece(struct network n)
{
    n.near = (struct latency){ .flight = alpha_of(n.near) };
    n.far = (struct latency){ .flight = alpha_of(n.far) };
    return n;
}

/* ---- one message after another ------------------------------------------------------------------- */

static const struct network hosts_of_one = {
    .per_node = 1, .cards = 1, .far = { .announce = 5, .answer = 7, .flight = 11 }, .port = 1e9, .card = 2
};

Test(simulator, a_message_costs_all_its_parts)
{
    struct network n = hosts_of_one;
    n.ranks = 2; /* 1 sends to 0, and 0 to 1 */
    cr_assert_float_eq(simulate(&n, "tree", 6, NULL), 2 * (5 + 7 + 11 + 3.0), 1e-9);
    cr_assert_float_eq(simulate(&n, "tree", 0, NULL), 2 * (5 + 7 + 11.0), 1e-9);
}

/* 1 and 2 announce to 0 at once. 0 receives from 1, then from 2, whose announcement is there; it sends to 2, and as soon as its last byte
 * has left, to 1. */
Test(simulator, whoever_comes_late_pays_for_what_is_left)
{
    struct network n = hosts_of_one;
    double bytes = 6, move = bytes / n.card;
    n.ranks = 3;
    cr_assert_float_eq(simulate(&n, "tree", bytes, NULL),
                       (5 + 7 + 11 + move) + (7 + 11 + move) + (5 + 7 + move) + (5 + 7 + 11 + move), 1e-9);
}

/* Between hosts each rank of a ring only sends, or only receives: the flight of a message hides the next announcement. Dealt out, each
 * does both, and waits for all of alpha. */
Test(simulator, a_ring_hides_the_announcement_where_a_rank_has_one_slow_end)
{
    struct network n = { .ranks = 16, .per_node = 2, .cards = 1, .port = 1e15, .card = 1e15 };
    struct latency near = { 1e-6, 1e-6, 1e-6 }, far = { 1, 1, 1 };
    int dealt[16];
    n.near = near;
    n.far = far;
    for (int i = 0; i < 16; i++)
        dealt[i] = i % 8 * 2 + i / 8;
    struct network whole = in_one_piece(n);
    cr_assert_float_eq(simulate(&whole, "ring", 1024, NULL), 30 * 3, 0.1);
    cr_assert_float_eq(simulate(&n, "ring", 1024, NULL), 30 * 2 + 1, 0.1);
    cr_assert_float_eq(simulate(&whole, "ring", 1024, dealt), 30 * 3, 0.1);
    cr_assert_float_eq(simulate(&n, "ring", 1024, dealt), 30 * 3, 0.1);
}

/* ---- the table of the lesson ---------------------------------------------------------------------- */

struct table {
    struct network network;
    int rows, summaries;
    double sum, told; /* of the misses; the mean that it tells */
};

static void read_cost(const char *line, const char *where, struct latency *latency, double *rate)
{
    double alpha, beta;
    struct latency l;
    size_t length = strlen(where);
    if (strncmp(line, where, length) != 0 ||
        sscanf(line + length, " alpha %lf ms = announced %lf + answered %lf + in flight %lf, beta %lf ns",
               &alpha, &l.announce, &l.answer, &l.flight, &beta) != 5)
        return;
    cr_assert_float_eq(alpha_of(l), alpha, 0.002, "the parts are not the whole: %s", line);
    *latency = (struct latency){ 1e-3 * l.announce, 1e-3 * l.answer, 1e-3 * l.flight };
    *rate = 1e9 / beta;
}

static void read_row(struct table *t, const char *line)
{
    double measured[WAYS], model[WAYS], kib;
    int hosts;
    if (sscanf(line, "%d %d %lf KiB %lf %lf %lf %lf %lf %lf %lf %lf", &hosts, &t->network.ranks, &kib,
               &measured[0], &model[0], &measured[1], &model[1], &measured[2], &model[2], &measured[3],
               &model[3]) != 11)
        return;
    t->rows++;
    for (int i = 0; i < WAYS; i++) {
        double now = 1e3 * simulate(&t->network, ways[i], 1024 * kib, NULL);
        cr_expect_float_eq(now / model[i], 1, 0.01, "%s says %.2f for %s, today it is %.2f ms", RECORDING,
                           model[i], ways[i], now);
        t->sum += fabs(model[i] / measured[i] - 1);
    }
}

Test(simulator, the_lesson_keeps_its_promise)
{
    struct table t = { .network = { .per_node = 2, .cards = 1 } };
    char line[LINE];
    FILE *file = fopen(RECORDING, "re");
    cr_assert(file);
    while (fgets(line, sizeof line, file)) {
        read_cost(line, "between hosts", &t.network.far, &t.network.card);
        read_cost(line, "inside a host", &t.network.near, &t.network.port);
        read_row(&t, line);
        t.summaries += sscanf(line, "this model: off by %lf %% in the mean", &t.told);
    }
    (void)fclose(file);
    cr_assert(t.network.card > 0 && t.network.port > 0 && t.rows == 10 && t.summaries == 1);
    double mean = 100 * t.sum / (WAYS * t.rows);
    cr_expect_float_eq(mean, t.told, 0.1);
    cr_expect_lt(mean, 10, "off by %.1f %% in the mean", mean);
}
