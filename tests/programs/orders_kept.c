/*
 * orders_kept.c: streams that touch the same data, all of them in order: by events, by works, or because the host has
 * waited. All cases in one run; nobody may say anything, and every element must be right.
 */
#include "dist.h"

#include <stdlib.h>

#define COUNT 8

/* One rank's streams and a tensor. */
struct desk {
    int rank, other;
    dist_stream *one, *two;
    tensor *x;
};

static void must_be(const struct desk *d, const tensor *t, double value, const char *what)
{
    for (int64_t i = 0; i < tensor_numel(t); i++)
        if (tensor_item(t, i) != value) {
            fprintf(stderr, "rank %d, %s: element %d is %g, not %g\n", d->rank, what, (int)i,
                    tensor_item(t, i), value);
            exit(1);
        }
}

/* This stream waits for all that stands in that one. */
static void wait_for(dist_stream *waiting, dist_stream *stream)
{
    dist_stream_use(stream);
    dist_event *event = dist_event_record();
    dist_stream_use(waiting);
    dist_event_wait(event);
    dist_event_free(event);
}

/* one -> two -> default: who waits for two, waits for one, too. Two that only read need no order. */
static void by_events(const struct desk *d)
{
    tensor *a = tensor_zeros(DIST_F32, COUNT), *b = tensor_zeros(DIST_F32, COUNT);
    wait_for(d->one, NULL);
    tensor_fill(d->x, 1);
    wait_for(d->two, d->one);
    tensor_add(a, d->x);
    dist_stream_use(d->one);
    tensor_add(b, d->x);
    wait_for(d->two, d->one);
    wait_for(NULL, d->two);
    tensor_add_scalar(d->x, 1);
    must_be(d, a, 1, "events");
    must_be(d, b, 1, "events");
    must_be(d, d->x, 2, "events");
    tensor_free(a);
    tensor_free(b);
}

static void by_the_host(const struct desk *d)
{
    dist_stream_use(d->one);
    tensor_fill(d->x, 3);
    dist_stream_synchronize(d->one);
    dist_stream_use(d->two);
    tensor_add_scalar(d->x, 1);
    dist_event *event = dist_event_record();
    while (!dist_event_passed(event))
        ;
    dist_stream_use(NULL);
    tensor_add_scalar(d->x, 1);
    dist_event *later = dist_event_record();
    dist_event_elapsed(event, later);
    dist_stream_use(d->one);
    tensor_add_scalar(d->x, 1);
    dist_synchronize();
    dist_stream_use(d->two);
    tensor_add_scalar(d->x, 1);
    must_be(d, d->x, 7, "the host"); /* reading waits, too */
    dist_stream_use(NULL);
    dist_barrier();
    tensor_fill(d->x, 8);
    dist_event_free(event);
    dist_event_free(later);
    dist_synchronize();
}

static void slices(const struct desk *d)
{
    tensor *front = tensor_slice(d->x, 0, 4), *back = tensor_slice(d->x, 4, COUNT);
    dist_stream_use(d->one);
    tensor_fill(front, 5);
    dist_stream_use(d->two);
    tensor_fill(back, 5);
    wait_for(d->two, d->one);
    must_be(d, d->x, 5, "slices");
    tensor_free(front);
    tensor_free(back);
}

/* Started in one stream, waited for in another: who waits is behind both. */
static void by_works(const struct desk *d)
{
    tensor *in = tensor_zeros(DIST_F32, COUNT);
    dist_stream_use(d->two);
    tensor_fill(d->x, d->rank);
    wait_for(d->one, d->two);
    wait_for(d->one, NULL);
    dist_work *out = dist_isend(d->x, d->other), *comes = dist_irecv(in, d->other);
    dist_stream_use(d->two);
    dist_wait(out);
    dist_wait(comes);
    tensor_add(d->x, in);
    dist_work *sum = dist_all_reduce(d->x, .async_op = true);
    while (!dist_is_completed(sum))
        ;
    dist_stream_use(d->one); /* the host has seen that it is over */
    tensor_add_scalar(d->x, 1);
    dist_stream_use(NULL);
    dist_wait(sum);
    dist_stream_use(d->one);
    must_be(d, d->x, 3, "works");
    dist_work *last = dist_all_reduce(in, .async_op = true);
    dist_synchronize(); /* this is over, too */
    dist_stream_use(d->two);
    tensor_add_scalar(in, 1);
    dist_wait(last);
    must_be(d, in, 2, "works");
    tensor_free(in);
}

/* A receive from anybody lets the host wait. */
static void from_anybody(const struct desk *d)
{
    tensor *in = tensor_zeros(DIST_F32, COUNT);
    wait_for(d->one, d->two);
    dist_work *out = dist_isend(d->x, d->other);
    dist_recv(in, DIST_ANY_SOURCE);
    dist_stream_use(d->two);
    must_be(d, in, 3, "from anybody");
    dist_wait(out);
    dist_work *again = dist_isend(in, d->other), *comes = dist_irecv(d->x, DIST_ANY_SOURCE);
    dist_stream_use(NULL);
    dist_wait(comes);
    dist_stream_use(d->one);
    must_be(d, d->x, 3, "from anybody, started");
    dist_wait(again);
    dist_synchronize();
    tensor_free(in);
}

/* Memory that is freed goes to others only once all streams have done with it; and a freed stream was empty. */
static void freed(const struct desk *d)
{
    for (int i = 0; i < 20; i++) {
        dist_stream_use(i % 2 ? d->one : d->two);
        tensor *t = tensor_full(DIST_F32, d->rank, COUNT);
        dist_work *works[] = { dist_isend(t, d->other), NULL };
        tensor *in = tensor_zeros(DIST_F32, COUNT);
        works[1] = dist_irecv(in, d->other);
        dist_wait_all(works, 2);
        if (i % 5 == 0)
            must_be(d, in, d->other, "freed");
        tensor_free(t);
        tensor_free(in);
    }
    dist_stream *third = dist_stream_new();
    dist_stream_use(third);
    tensor *t = tensor_full(DIST_F32, 4, COUNT);
    dist_stream_use(d->one);
    dist_stream_free(third);
    must_be(d, t, 4, "a freed stream");
    tensor_free(t);
}

/* Weights and ids are shorter than what is made of them: what lies behind them in memory is nobody's business. */
static void learning(const struct desk *d)
{
    tensor *made[] = { tensor_zeros(DIST_F32, 64, 64), tensor_zeros(DIST_F32, 64, 64),
                       tensor_full(DIST_F32, 1, 64), tensor_zeros(DIST_F32, 64), tensor_zeros(DIST_I64, 64) };
    tensor *others[8];
    for (int i = 0; i < 8; i++)
        others[i] = tensor_zeros(DIST_F32, 1024);
    dist_synchronize();
    dist_stream_use(d->one);
    tensor_layer_norm(made[0], made[1], made[2], made[3]);
    tensor_embedding(made[0], made[1], made[4]);
    tensor_cross_entropy_backward(made[0], made[4]);
    dist_stream_use(d->two);
    for (int i = 0; i < 8; i++)
        tensor_fill(others[i], 1);
    for (int i = 0; i < 8; i++)
        tensor_free(others[i]);
    for (int i = 0; i < 5; i++)
        tensor_free(made[i]);
}

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    struct desk d = { rank, 1 - rank, dist_stream_new(), dist_stream_new(), NULL };
    d.x = tensor_full(DIST_F32, rank, COUNT);
    by_events(&d);
    by_the_host(&d);
    slices(&d);
    by_works(&d);
    from_anybody(&d);
    freed(&d);
    learning(&d);
    dist_stream_use(NULL);
    dist_synchronize();
    dist_stream_free(d.one);
    dist_stream_free(d.two);
    tensor_free(d.x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 2);
}
