/* Grades 07.2: every sum starts right after its backward, and nobody waits before the last one. The sums are made on a simulated
 * GPU. The order is looked at with tensors of the host, where a trace tells it exactly; the learner's lines are the same. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "Hide the sums",
    .forbidden = "dist_synchronize dist_stream_synchronize",
    .drawing = "spacetime",
};

static double summed(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    (void)rank;
    for (int r = 0; r < s->ranks; r++)
        sum += given(s, r, "gradients", i);
    return sum * given(s, 0, "calls", 0); /* each call adds it to the weights */
}

/* As the desk cuts them: the gradient of layer i is i + 1 numbers. */
static int64_t numbers(int64_t layers)
{
    return layers * (layers + 1) / 2;
}

/* With two ranks as many layers as there may be; with four first one, and then more. */
static int64_t lay_out(struct sitting *s, bool gpu, bool held)
{
    int64_t layers = s->ranks == 2 ? 8 : s->ranks == 4 && !s->again ? 1 : pick(s, 2, 8);
    give_number(s, "gpu", gpu);
    give_number(s, "held", held);
    give_number(s, "calls", gpu ? 2 : 1);
    give_number(s, "layers", (double)layers);
    give_random(s, "gradients", DIST_F32, numbers(layers));
    return layers;
}

GRADED(the_sums, 4)
{
    EACH_SITTING(s, 1, 8) {
        int64_t layers = lay_out(s, true, false);
        sit(s);
        expect(s, "weights", numbers(layers), summed);
    }
}

/* The act of a rank that is the span of this layer's backward; -1: there is none, or more than one. */
static int span(const struct run *run, int rank, int layer)
{
    char name[32];
    int found = -1, count = 0;
    snprintf(name, sizeof name, "desk: backward %d", layer);
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        if (run->acts[i].kind == ACT_SPAN && strcmp(run->acts[i].name, name) == 0 && count++ == 0)
            found = i;
    return count == 1 ? found : -1;
}

/* The sum that a rank made as its nth. */
static int sum_of(const struct run *run, int rank, int nth)
{
    for (int i = run->first[rank]; i < run->first[rank + 1]; i++)
        if (run->acts[i].kind == ACT_COLLECTIVE && strcmp(run->acts[i].name, "all_reduce") == 0 && nth-- == 0)
            return i;
    return -1;
}

/* Where a rank waits for what it has started: perhaps inside the call; -1: nowhere. */
static int wait_for(const struct run *run, int act)
{
    int rank = run->acts[act].rank;
    for (int i = act; i < run->first[rank + 1]; i++)
        if (run->acts[i].started == act && way_waits(run, i))
            return i;
    return run->acts[act].finished < 0 ? act : -1;
}

static int first_wait(const struct run *run, int rank)
{
    int i = run->first[rank];
    while (i < run->first[rank + 1] && !way_waits(run, i))
        i++;
    return i;
}

static void look(struct sitting *s, int rank, int layers)
{
    int last = span(s->run, rank, 0);
    for (int i = layers - 1; i >= 0; i--) {
        int here = span(s->run, rank, i), next = i > 0 ? span(s->run, rank, i - 1) : -1;
        int sum = sum_of(s->run, rank, layers - 1 - i), wait = sum < 0 ? -1 : wait_for(s->run, sum);
        if (!claim(s, here >= 0 && (i == 0 || here < next),
                   "rank %d: backward(%d) must come, once, before backward(%d)", rank, i, i - 1) ||
            !claim(s, sum > here,
                   "rank %d started fewer sums than layers, or one before its gradient was there", rank) ||
            !claim(s, s->run->acts[sum].elements == i + 1,
                   "rank %d started a sum of %lld numbers where that of layer %d comes, which has %d", rank,
                   (long long)s->run->acts[sum].elements, i, i + 1))
            return;
        claim(s, i == 0 || sum < next, "rank %d: the sum of layer %d started only after backward(%d)", rank,
              i, i - 1);
        claim(s, i > 0 || sum < first_wait(s->run, rank),
              "rank %d waited before it started the sum of layer 0; no wait may stand before the last "
              "backward and its sum",
              rank);
        claim(s, i == 0 || wait < 0 || wait > last,
              "rank %d waited for the sum of layer %d before the last backward: the stream computes nothing "
              "meanwhile",
              rank, i);
    }
}

GRADED(they_are_hidden, 6)
{
    EACH_SITTING(s, 1, 4) {
        int layers = (int)lay_out(s, false, false);
        if (!sit(s))
            continue;
        expect(s, "weights", numbers(layers), summed);
        for (int r = 0; r < s->ranks; r++)
            look(s, r, layers);
    }
    EACH_SITTING(s, 2, 3) { /* a wait that no trace shows: a look again and again */
        int64_t layers = lay_out(s, false, true);
        sit(s);
        expect(s, "weights", numbers(layers), summed);
    }
}
