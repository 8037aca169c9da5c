/*
 * test_simulator.c: chapter 13's simulator. Does a message cost each end what it should, and is the lesson's table of a cluster what the
 * simulator says today, within the error that the lesson promises?
 */
#define _GNU_SOURCE
#include "../chapters/13_scale/run.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum { WAYS = 4, LINE = 400 };

static const char *const ways[WAYS] = { "tree", "ring", "halving", "levels" };

static struct network in_one_piece(struct network n)
{
    n.near = (struct protocol){ .flight = n.near.announce + n.near.answer + n.near.flight };
    n.far = (struct protocol){ .flight = n.far.announce + n.far.answer + n.far.flight };
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

/* 4 of 6 bytes set out with the announcement, and are on their way while it is: the other two wait for the answer. */
Test(simulator, early_data_go_with_the_announcement)
{
    struct network n = hosts_of_one;
    n.ranks = 2;
    n.far.early = 4;
    cr_assert_float_eq(simulate(&n, "tree", 6, NULL), 2 * (2 + 5 + 7 + 1 + 11.0), 1e-9);
}

/* Early as a whole it is there when it is announced, and its sender is free when it has the answer: the shorter ones come back sooner than
 * that, and have to wait. */
Test(simulator, a_message_that_is_early_goes_once)
{
    struct network n = hosts_of_one;
    n.ranks = 2;
    n.far.early = 6;
    cr_assert_float_eq(simulate(&n, "tree", 6, NULL), (3 + 5) + (3 + 5 + 7.0), 1e-9);
    cr_assert_float_eq(simulate(&n, "tree", 0, NULL), (5 + 7) + 7.0, 1e-9);
}

/* Two that send to each other, a half, then a half: twice an answer, or none. */
Test(simulator, a_small_one_of_an_exchange_needs_no_answer)
{
    struct network n = hosts_of_one;
    n.ranks = 2;
    n.far.early = 6;
    cr_assert_float_eq(simulate(&n, "halving", 4, NULL), 2 * (1 + 5 + 7.0), 1e-9);
    n.far.small = 2;
    cr_assert_float_eq(simulate(&n, "halving", 4, NULL), 2 * (1 + 5.0), 1e-9);
    cr_assert_float_eq(simulate(&n, "halving", 6, NULL), 2 * (1.5 + 5 + 7.0), 1e-9);
}

/* Where the answer is all that a ring waits for beside the flight, each step takes both. */
Test(simulator, a_ring_waits_for_its_answers)
{
    struct network n = { .ranks = 16, .per_node = 2, .cards = 1, .port = 1e15, .card = 1e15 };
    n.near = (struct protocol){ .announce = 1e-6, .answer = 1e-6, .early = 1e9 };
    n.far = (struct protocol){ .announce = 1, .answer = 1, .early = 1e9, .small = 1e9 };
    cr_assert_float_eq(simulate(&n, "ring", 1024, NULL), 30 * 2, 0.1);
}

/* Between hosts each rank of a ring only sends, or only receives: the flight of a message hides the next announcement. Dealt out, each
 * does both, and waits for all of alpha. */
Test(simulator, a_ring_hides_the_announcement_where_a_rank_has_one_slow_end)
{
    struct network n = { .ranks = 16, .per_node = 2, .cards = 1, .port = 1e15, .card = 1e15 };
    struct protocol near = { .announce = 1e-6, .answer = 1e-6, .flight = 1e-6 },
                    far = { .announce = 1, .answer = 1, .flight = 1 };
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

static void read_cost(const char *line, const char *where, struct protocol *protocol, double *rate)
{
    double beta;
    struct protocol p;
    size_t length = strlen(where);
    if (strncmp(line, where, length) != 0 ||
        sscanf(
            line + length,
            " announced %lf ms, answered %lf, in flight %lf; beta %lf ns a byte (%*f Mbit/s); early %lf KiB, "
            "small %lf KiB",
            &p.announce, &p.answer, &p.flight, &beta, &p.early, &p.small) != 6)
        return;
    *protocol = (struct protocol){ 1e-3 * p.announce, 1e-3 * p.answer, 1e-3 * p.flight, 1024 * p.early,
                                   1024 * p.small };
    *rate = 1e9 / beta;
}

static void read_row(struct table *t, const char *recording, const char *line)
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
        cr_expect_float_eq(now / model[i], 1, 0.01, "%s says %.2f for %s, today it is %.2f ms", recording,
                           model[i], ways[i], now);
        t->sum += fabs(model[i] / measured[i] - 1);
    }
}

static void look_at(const char *recording)
{
    struct table t = { .network = { .per_node = 2, .cards = 1 } };
    char line[LINE];
    FILE *file = fopen(recording, "re");
    cr_assert(file);
    while (fgets(line, sizeof line, file)) {
        read_cost(line, "between hosts", &t.network.far, &t.network.card);
        read_cost(line, "inside a host", &t.network.near, &t.network.port);
        read_row(&t, recording, line);
        t.summaries += sscanf(line, "this model: off by %lf %% in the mean", &t.told);
    }
    (void)fclose(file);
    cr_assert(t.network.card > 0 && t.network.port > 0 && t.rows == 10 && t.summaries == 1, "%s", recording);
    double mean = 100 * t.sum / (WAYS * t.rows);
    cr_expect_float_eq(mean, t.told, 0.1, "%s", recording);
    cr_expect_lt(mean, 10, "%s: off by %.1f %% in the mean", recording, mean);
}

Test(simulator, the_lesson_keeps_its_promise)
{
    look_at("chapters/13_scale/recorded/measured.txt");
    look_at("chapters/13_scale/recorded/measured_mpich.txt");
}
