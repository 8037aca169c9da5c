/*
 * pace.c: how often a call is made, and its median.
 *
 * Calls are timed in batches, so that the clock does not matter. A batch takes some milliseconds: a library whose calls take
 * 20 ms makes one in a batch, one whose calls take 50 ns a hundred thousand. Nobody knows before which it is. So the first
 * batches grow until they are long enough, which is the warm-up too: pages, connections, caches.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "timing.h"

enum { MOST_BATCHES = 15, LEAST_BATCHES = 5 };
#define BATCH_US 6000.0 /* longer than the turn of one process on a shared core */
#define ALL_US 400000.0 /* slow calls: fewer batches, so that all take about this long */
#define MOST_CALLS (1 << 20)

/* Rank 0's clock decides, and everybody must know how many calls come. */
static int tell_all(struct job *job, struct buffer *word, int value)
{
    if (job->rank == 0)
        word->x[0] = (float)value;
    side_broadcast(word, word, 0);
    return (int)word->x[0];
}

static double batch(struct job *job, timed_call *call, int *turn, int calls)
{
    double start = now();
    for (int i = 0; i < calls; i++)
        call(job, (*turn)++);
    return now() - start;
}

/* By what a batch must grow that took so long; 0: it is long enough. */
static int growth(double took, int calls)
{
    if (took >= BATCH_US / 2 || calls >= MOST_CALLS)
        return 0;
    return took < BATCH_US / 16 ? 8 : 2;
}

static int batches_of(double took)
{
    int batches = (int)(ALL_US / took);
    return batches < LEAST_BATCHES ? LEAST_BATCHES : batches > MOST_BATCHES ? MOST_BATCHES : batches;
}

double pace(struct job *job, timed_call *call)
{
    double times[MOST_BATCHES], took;
    int turn = 0, calls = 1, more = 1;
    struct buffer word;
    side_new(&word, 1);
    batch(job, call, &turn, job->size); /* every root has touched its pages */
    do {
        calls *= more;
        took = batch(job, call, &turn, calls);
        more = tell_all(job, &word, growth(took, calls));
    } while (more);
    int batches = tell_all(job, &word, batches_of(took));
    for (int b = 0; b < batches; b++)
        times[b] = batch(job, call, &turn, calls) / calls;
    side_barrier();
    side_free(&word);
    return median(times, batches);
}
