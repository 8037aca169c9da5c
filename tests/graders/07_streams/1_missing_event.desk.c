/* What each rank does in 07.1: all of it on a GPU; what is handed in is a copy on the host. */
#include "../../grader/desk.h"

void two_streams(tensor *x, tensor *y, dist_stream *aside, void (*work)(tensor *x));

static dist_stream *usual; /* the default stream */
static bool on_usual;      /* has work been put there? */
static tensor *note;       /* from the next rank, where the work waits for one; else NULL */
static int next, previous;

static void work(tensor *x)
{
    dist_stream *now = dist_stream_use(NULL);
    on_usual = now == usual;
    dist_stream_use(now);
    if (note)
        dist_recv(note, next);
    tensor_mul_scalar(x, -2); /* twice 12 bits: their squares, and the sums of these, are exact */
}

/* Only now, when the learner's function has returned, may the neighbour's work begin. A host that waits in between waits for ever. */
static void let_work(void)
{
    dist_stream *apart = dist_stream_new();
    dist_stream_use(apart);
    tensor *sent = tensor_zeros(DIST_U8, 1);
    dist_send(sent, previous);
    dist_stream_synchronize(apart);
    dist_stream_use(NULL);
    tensor_free(sent);
    dist_stream_free(apart);
}

/* An earlier call, with numbers of its own: what it has left behind is of no use to the next one. */
static void call_before(const tensor *x, dist_stream *aside)
{
    tensor *other = tensor_clone(x), *there = tensor_clone(x);
    tensor_mul_scalar(other, 2);
    two_streams(other, there, aside, work);
    dist_synchronize();
    tensor_free(there);
    tensor_free(other);
}

void desk(int rank, int world_size)
{
    dist_set_device(DIST_GPU);
    tensor *x = tensor_to(desk_tensor("x"), DIST_GPU), *y = desk_room(DIST_F32, tensor_numel(x));
    dist_stream *aside = dist_stream_new();
    usual = dist_stream_use(NULL);
    next = (rank + 1) % world_size, previous = (rank + world_size - 1) % world_size;
    note = desk_number("held") > 0 ? desk_room(DIST_U8, 1) : NULL;
    tensor_fill(y, -1); /* what lies there is no part of x */
    dist_synchronize();
    if (desk_number("calls") > 1)
        call_before(x, aside);
    two_streams(x, y, aside, work);
    desk_hand_in_number("current", dist_stream_use(NULL) == usual);
    desk_hand_in_number("events", desk_events());
    desk_hand_in_number("on usual", on_usual);
    if (note)
        let_work();
    dist_synchronize();
    tensor *hosts[] = { tensor_to(x, DIST_HOST), tensor_to(y, DIST_HOST) };
    desk_hand_in("x", hosts[0]);
    desk_hand_in("y", hosts[1]);
    dist_synchronize();
    dist_stream_free(aside);
    tensor_free(hosts[1]);
    tensor_free(hosts[0]);
    tensor_free(x);
}
