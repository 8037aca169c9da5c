/* Grades 10.2: buckets filled from the last layer on, each summed as soon as it is full, while backward goes on. */
#include "../../grader/grader.h"

#include <stdio.h>
#include <string.h>

#define LAYERS 8

const struct exercise exercise = {
    .title = "Buckets, filled backward",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_reduce",
    .drawing = "spacetime",
};

static double sum(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    double total = 0;
    for (int r = 0; r < s->ranks; r++)
        total += given(s, r, "gradients", i);
    return total;
}

/* What is full is as much as the last layers have, or a little less: both must count as full. With five ranks a layer has hundreds.
 * With eight, and in the second call of a run, every layer is a bucket: not so in the first, where the plan must be another. */
static int lay_out(struct sitting *s, double *begin, int calls, bool held)
{
    bool each = s->ranks == 8 || s->again;
    int layers = s->ranks == 7 ? 1 : s->ranks == 8 ? LAYERS : (int)pick(s, 4, LAYERS);
    int last = layers > 1 ? (int)pick(s, s->ranks == 4 ? 2 : 1, 3) : 1;
    begin[0] = 0;
    for (int l = 0; l < layers; l++)
        begin[l + 1] = begin[l] + (double)(s->ranks == 5 ? pick(s, 200, 300) : pick(s, 1, 6));
    double full = each ? 1 : begin[layers] - begin[layers - last] - s->ranks % 2;
    for (int r = 0; r < s->ranks; r++)
        give(s, r, "begin", DIST_F64, begin, layers + 1);
    give_number(s, "full", full > 1 ? full : 1);
    give_number(s, "calls", calls);
    give_number(s, "held", held);
    give_random(s, "gradients", s->ranks == 4 ? DIST_F64 : DIST_F32, (int64_t)begin[layers]);
    return layers;
}

GRADED(all_gradients_are_summed, 5)
{
    EACH_SITTING(s, 1, 9) {
        double begin[LAYERS + 1];
        int layers = lay_out(s, begin, 2, false);
        sit(s);
        expect(s, "gradients", (int64_t)begin[layers], sum);
    }
}

/* What a rank must do, one thing after the other: layers that are computed, as -1 - layer, and buckets, as their elements. */
static int wanted(const struct sitting *s, const double *begin, int layers, int64_t *what)
{
    int count = 0;
    double end = begin[layers], full = given(s, 0, "full", 0);
    for (int l = layers - 1; l >= 0; l--) {
        what[count++] = -1 - l;
        if (end - begin[l] < full && l > 0)
            continue;
        what[count++] = (int64_t)(end - begin[l]);
        end = begin[l];
    }
    return count;
}

/* The same of an act; 0: it is something else. */
static int64_t meaning(const struct act *act)
{
    int layer;
    if (act->kind == ACT_COLLECTIVE && strcmp(act->name, "all_reduce") == 0)
        return act->elements;
    return act->kind == ACT_SPAN && sscanf(act->name, "desk: backward %d", &layer) == 1 ? -1 - layer : 0;
}

static void say_wrong_turn(struct sitting *s, int rank, int64_t did, int64_t right)
{
    char done[80], should[80];
    snprintf(done, sizeof done, did < 0 ? "called backward(%lld)" : "started the sum of %lld numbers",
             (long long)(did < 0 ? -1 - did : did));
    snprintf(should, sizeof should, right < 0 ? "backward(%lld)" : "the sum of a bucket of %lld numbers",
             (long long)(right < 0 ? -1 - right : right));
    claim(s, false, "rank %d %s where %s should come", rank, done, right ? should : "nothing more");
}

static void follow(struct sitting *s, int rank, const int64_t *right, int count)
{
    int next = 0;
    bool waited = false;
    for (int i = s->run->first[rank]; i < s->run->first[rank + 1]; i++) {
        const struct act *act = &s->run->acts[i];
        int64_t did = meaning(act);
        if (did == 0) {
            waited = waited || way_waits(s->run, i);
            continue;
        }
        if (next >= count || did != right[next]) {
            say_wrong_turn(s, rank, did, next < count ? right[next] : 0);
            return;
        }
        next++;
        if (!claim(s, !waited, "rank %d waited before all layers were computed and all sums started", rank))
            return;
        waited = did > 0 && act->finished < 0; /* it has waited inside the call */
    }
    claim(s, next == count, "rank %d did %d of %d things: layers computed, and sums started", rank, next,
          count);
}

GRADED(each_as_soon_as_it_is_full, 5)
{
    EACH_SITTING(s, 2, 8) {
        double begin[LAYERS + 1];
        int64_t right[2 * LAYERS];
        int layers = lay_out(s, begin, 1, false), count = wanted(s, begin, layers, right);
        if (!sit(s))
            continue;
        expect(s, "gradients", (int64_t)begin[layers], sum);
        for (int r = 0; r < s->ranks; r++)
            follow(s, r, right, count);
        nothing_left(s);
    }
    EACH_SITTING(s, 2, 3) { /* a wait that no trace shows: a look again and again */
        double begin[LAYERS + 1];
        int layers = lay_out(s, begin, 1, true);
        sit(s);
        expect(s, "gradients", (int64_t)begin[layers], sum);
    }
}
