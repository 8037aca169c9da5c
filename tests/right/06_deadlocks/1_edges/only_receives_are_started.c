/* The receives are started, with tags and into an inbox; the sends block. */
#include "dist.h"

struct edge {
    int peer, tag_in, tag_out;
    tensor *out, *in, *inbox;
    dist_work *coming;
};

static void begin(struct edge *edge, int world_size)
{
    if (edge->peer < 0 || edge->peer >= world_size)
        return;
    edge->inbox = tensor_clone(edge->in);
    edge->coming = dist_irecv(edge->inbox, edge->peer, .tag = edge->tag_in);
}

static void end(struct edge *edge)
{
    if (!edge->coming)
        return;
    dist_send(edge->out, edge->peer, .tag = edge->tag_out);
    dist_wait(edge->coming);
    tensor_copy(edge->in, edge->inbox);
    tensor_free(edge->inbox);
}

void swap_edges(tensor *first, tensor *last, tensor *from_left, tensor *from_right, int rank, int world_size)
{
    struct edge left = { .peer = rank - 1, .tag_in = 2, .tag_out = 3, .out = first, .in = from_left };
    struct edge right = { .peer = rank + 1, .tag_in = 3, .tag_out = 2, .out = last, .in = from_right };
    begin(&left, world_size);
    begin(&right, world_size);
    dist_span("edges of rank %d", rank) {
        end(&right);
        end(&left);
    }
}
