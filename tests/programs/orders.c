/*
 * orders.c: streams that touch the same data, one case a run, by name. Something is missing that orders them; the marked
 * lines are those that the report must name. orders_kept.c has the cases in which nothing is missing.
 */
#include "dist.h"

#include <stdio.h>
#include <string.h>

static const char *what;

/* One rank's streams, and two tensors of 8 elements. */
struct desk {
    int rank, other;
    dist_stream *one, *two;
    tensor *x, *y;
};

static bool is(const char *name)
{
    return strcmp(what, name) == 0;
}

/* ---- kernels and copies ------------------------------------------------------------------------ */

static void kernels(struct desk *d)
{
    dist_stream_use(d->one);
    tensor_fill(d->x, 1); /* mark fill */
    dist_stream_use(d->two);
    if (is("write-write"))
        tensor_add_scalar(d->x, 1); /* mark write-write */
    if (is("write-read"))
        tensor_add(d->y, d->x); /* mark write-read */
    if (is("write-print"))
        tensor_print(d->x, "x"); /* mark write-print */
    if (is("write-clone"))
        tensor_free(tensor_clone(d->x)); /* mark write-clone */
    dist_stream_use(NULL);
    if (is("default"))
        tensor_item(d->x, 7); /* mark default */
    if (is("host-write"))
        tensor_write(d->x, (float[8]){ 0 }); /* mark host-write */
}

static void readers(struct desk *d)
{
    dist_stream_use(d->one);
    tensor_add(d->y, d->x); /* mark reader */
    dist_stream_use(d->two);
    tensor_set(d->x, 3, 5); /* mark read-write */
}

static void slices(struct desk *d)
{
    tensor *front = tensor_slice(d->x, 0, 4), *middle = tensor_slice(d->x, 3, 6);
    dist_stream_use(d->one);
    tensor_fill(front, 1); /* mark front */
    dist_stream_use(d->two);
    tensor_mul_scalar(middle, 2); /* mark middle */
    tensor_free(front);
    tensor_free(middle);
}

/* Calls whose tensors are not all as long as the one that is changed; or that change more than one. */
static void learning(struct desk *d)
{
    tensor *table = tensor_zeros(DIST_F32, 100, 4), *last = tensor_slice(table, 99, 100);
    tensor *rows = tensor_zeros(DIST_F32, 2, 4), *ids = tensor_zeros(DIST_I64, 2);
    tensor *losses = tensor_zeros(DIST_F32, 100), *all_ids = tensor_zeros(DIST_I64, 100);
    tensor *first = tensor_slice(rows, 0, 1), *second = tensor_slice(rows, 1, 2),
           *third = tensor_slice(table, 0, 1);
    tensor *made[] = { table, last, rows, ids, losses, all_ids, first, second, third };
    dist_synchronize();
    dist_stream_use(d->one);
    if (is("learn-read"))
        tensor_embedding(rows, table, ids); /* mark learner-read */
    if (is("learn-write"))
        tensor_embedding_backward(table, rows, ids); /* mark learner-write */
    if (is("learn-losses"))
        tensor_cross_entropy(losses, table, all_ids); /* mark learner-losses */
    if (is("learn-moments"))
        tensor_adamw(first, last, second, third, 1, 0.1); /* mark learner-moments */
    dist_stream_use(d->two);
    tensor_fill(last, 1); /* mark learned */
    for (int i = 0; i < 9; i++)
        tensor_free(made[i]);
}

/* ---- events in the wrong place -------------------------------------------------------------------- */

static void events(struct desk *d)
{
    dist_event *event = NULL;
    dist_stream_use(d->one);
    if (is("early-event"))
        event = dist_event_record();
    tensor_fill(d->x, 1); /* mark eventful */
    dist_stream_use(d->two);
    if (is("other-event"))
        event = dist_event_record();
    dist_stream_use(d->one);
    if (is("other-waits"))
        event = dist_event_record();
    dist_stream_use(is("other-waits") ? NULL : d->two);
    dist_event_wait(event);
    dist_stream_use(d->two);
    tensor_relu(d->x); /* mark events */
    dist_event_free(event);
}

/* ---- messages and collectives: ranks 0 and 1 do the same --------------------------------------------- */

static void messages(struct desk *d)
{
    dist_stream_use(d->one);
    if (is("send"))
        tensor_fill(d->x, 1); /* mark before-send */
    if (is("send"))
        dist_stream_use(d->two);
    dist_work *out = dist_isend(d->x, d->other); /* mark send */
    dist_recv(d->y, d->other);                   /* mark recv */
    if (is("sent")) {
        dist_wait(out);
        dist_stream_use(d->two);
        tensor_fill(d->x, 2); /* mark sent */
    }
    dist_stream_use(NULL);
    if (is("received"))
        tensor_sum(d->y); /* mark received */
    if (is("in-between"))
        tensor_fill(d->x, 2); /* mark in-between */
}

static void collectives(struct desk *d)
{
    dist_work *work = NULL;
    dist_stream_use(d->one);
    if (is("posted"))
        tensor_fill(d->x, 1); /* mark before-post */
    dist_stream_use(is("posted") ? d->two : d->one);
    work = dist_all_reduce(d->x, .async_op = true); /* mark post */
    dist_stream_use(d->two);
    if (is("no-wait"))
        tensor_relu(d->x); /* mark no-wait */
    if (is("waited"))
        dist_wait(work);
    dist_stream_use(NULL);
    tensor_relu(d->x); /* mark waited */
}

static void blocking_collectives(struct desk *d)
{
    dist_stream_use(d->one);
    dist_broadcast(d->x, 0); /* mark broadcast */
    dist_stream_use(d->two);
    tensor_fill(d->x, 1); /* mark behind-broadcast */
}

/* ---- a handler that lets the program go on: the call was refused once, and is not refused again ----------- */

static void count_one(const struct dist_report *report, void *context)
{
    fprintf(stderr, "%s at line %d\n", dist_error_name(report->error), report->at.line);
    ++*(int *)context;
}

static void pardoned(struct desk *d)
{
    int count = 0;
    dist_set_error_handler(count_one, &count);
    dist_stream_use(d->one);
    tensor_fill(d->x, 1);
    dist_stream_synchronize(d->one);
    tensor_fill(d->x, 2);
    dist_stream_use(d->two);
    for (int i = 0; i < 3; i++)
        tensor_add_scalar(d->x, 1); /* mark pardoned */
    dist_synchronize();
    fprintf(stderr, "%d report\n", count); /* what x holds now is anybody's guess: that is the mistake */
    dist_set_error_handler(NULL, NULL);
}

/* What was refused was not read: no elements are shown. */
static void unread(struct desk *d)
{
    int count = 0;
    dist_set_error_handler(count_one, &count);
    dist_stream_use(d->one);
    tensor_fill(d->x, 1);
    dist_stream_use(d->two);
    tensor_print(d->x, "refused");
    dist_set_error_handler(NULL, NULL);
}

static void run(int rank, int size)
{
    (void)size;
    dist_init_process_group();
    struct desk d = { rank, 1 - rank, dist_stream_new(), dist_stream_new(), NULL, NULL };
    d.x = tensor_full(DIST_F32, rank, 8);
    d.y = tensor_zeros(DIST_F32, 8);
    dist_synchronize();
    if (is("read-write"))
        readers(&d);
    else if (is("slices"))
        slices(&d);
    else if (strncmp(what, "learn-", 6) == 0)
        learning(&d);
    else if (strstr(what, "event") || is("other-waits"))
        events(&d);
    else if (is("send") || is("sent") || is("received") || is("in-between"))
        messages(&d);
    else if (is("posted") || is("no-wait") || is("waited"))
        collectives(&d);
    else if (is("broadcast"))
        blocking_collectives(&d);
    else if (is("pardoned") && rank == 0)
        pardoned(&d);
    else if (is("unread") && rank == 0)
        unread(&d);
    else if (!is("pardoned") && !is("unread"))
        kernels(&d);
    dist_synchronize();
    dist_stream_use(NULL);
    dist_stream_free(d.one);
    dist_stream_free(d.two);
    tensor_free(d.x);
    tensor_free(d.y);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    what = count > 1 ? words[1] : "";
    return dist_spawn(run, 2);
}
