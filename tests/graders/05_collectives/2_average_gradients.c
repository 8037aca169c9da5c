/* Grades 05.2: the mean of everybody's gradients, all layers at once. */
#include "../../grader/grader.h"

#include <string.h>

const struct exercise exercise = {
    .title = "The average of gradients",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_all_reduce",
    .drawing = "spacetime",
};

static int layer; /* the one that mean() tells of */

static const char *name_of(int i)
{
    static const char *const names[] = { "gradient 0", "gradient 1", "gradient 2", "gradient 3",
                                         "gradient 4", "gradient 5", "gradient 6", "gradient 7" };
    return names[i];
}

static double mean(const struct sitting *s, int rank, int64_t i)
{
    (void)rank;
    double sum = 0;
    for (int r = 0; r < s->ranks; r++)
        sum += given(s, r, name_of(layer), i);
    return sum / s->ranks;
}

static void lay_out(struct sitting *s, int layers, bool held)
{
    s->tolerance = 3e-6; /* each of eight may be divided, and rounded, before they are added */
    give_number(s, "layers", layers);
    give_number(s, "held", held);
    for (int i = 0; i < layers; i++)
        give_random(s, name_of(i), DIST_F32, pick_length(s));
}

/* As many as there may be, and one alone, do not wait for chance. */
static int pick_layers(struct sitting *s)
{
    return s->ranks == 2 ? 8 : s->ranks == 6 ? 1 : (int)pick(s, 2, 8);
}

GRADED(every_mean, 6)
{
    EACH_SITTING(s, 1, 9) {
        int layers = pick_layers(s);
        lay_out(s, layers, false);
        sit(s);
        for (layer = 0; layer < layers; layer++)
            expect(s, name_of(layer), given_count(s, 0, name_of(layer)), mean);
    }
}

static bool reduces(const struct act *act)
{
    return act->kind == ACT_COLLECTIVE && strcmp(act->name, "all_reduce") == 0;
}

/* How many all_reduces had this rank started when it first waited, for one of them or in one? */
static int started_before_waiting(const struct sitting *s, int rank)
{
    int started = 0;
    for (int i = s->run->first[rank]; i < s->run->first[rank + 1]; i++) {
        const struct act *act = &s->run->acts[i];
        started += reduces(act);
        if (way_waits(s->run, i) || (reduces(act) && act->finished < 0))
            break;
    }
    return started;
}

/* From the last layer to the first? */
static void look_at_order(struct sitting *s, int rank, int layers)
{
    int next = layers - 1;
    for (int i = s->run->first[rank]; next >= 0 && i < s->run->first[rank + 1]; i++) {
        const struct act *act = &s->run->acts[i];
        if (!reduces(act))
            continue;
        int64_t count = act->bytes / (int64_t)sizeof(float), right = given_count(s, 0, name_of(next));
        if (!claim(
                s, count == right,
                "rank %d averaged a gradient of %lld elements where that of layer %d comes, which has %lld",
                rank, (long long)count, next, (long long)right))
            return;
        next--;
    }
}

GRADED(starts_all_then_waits, 4)
{
    EACH_SITTING(s, 2, 8) {
        int layers = pick_layers(s);
        lay_out(s, layers, false);
        if (!sit(s))
            continue;
        for (layer = 0; layer < layers; layer++)
            expect(s, name_of(layer), given_count(s, 0, name_of(layer)), mean);
        for (int r = 0; r < s->ranks; r++) {
            bool all = claim(s, way_calls(s, r, "all_reduce") == layers,
                             "rank %d made %d calls of all_reduce; there are %d gradients", r,
                             way_calls(s, r, "all_reduce"), layers);
            all = all && claim(s, started_before_waiting(s, r) == layers,
                               "rank %d waited when it had started %d of %d; start all, then wait", r,
                               started_before_waiting(s, r), layers);
            if (all)
                look_at_order(s, r, layers);
        }
    }
    EACH_SITTING(s, 2, 3) { /* a wait that no trace shows: a look again and again */
        int layers = (int)pick(s, 3, 8);
        lay_out(s, layers, true);
        sit(s);
        for (layer = 0; layer < layers; layer++)
            expect(s, name_of(layer), given_count(s, 0, name_of(layer)), mean);
    }
}
