/* feedback: before it went on */
#include "dist.h"

enum { MOST = 16 }; /* micro-batches */

struct stage {
    int rank, size;
    int pieces;      /* micro-batches that the batch is cut into */
    tensor *batch;   /* the samples; on all ranks but 0 their values are of no use */
    tensor *target;  /* on the last rank, else NULL */
    tensor *w, *dw;  /* this rank's layer; the gradients of all micro-batches are added up in dw */
    tensor *x[MOST]; /* inputs and outputs, kept from forward to backward */
    tensor *y[MOST];
    tensor *dx[MOST];                        /* gradients on their way back */
    dist_work *y_sent[MOST], *dx_sent[MOST]; /* what was started; NULL: nothing */
};

/* y = relu(x w); the last layer has no relu. */
static tensor *layer_forward(tensor *x, tensor *w, bool last)
{
    tensor *y = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(w, 1));
    tensor_matmul(y, x, w);
    if (!last)
        tensor_relu(y);
    return y;
}

/* dw += x^T dy, and the result is dx = dy w^T. Where relu has cut off, no gradient comes through. */
static tensor *layer_backward(tensor *dy, tensor *x, tensor *y, tensor *w, tensor *dw, bool last)
{
    int64_t rows = tensor_size(x, 0), width = tensor_size(w, 0);
    tensor *xt = tensor_zeros(DIST_F64, width, rows), *wt = tensor_zeros(DIST_F64, width, width);
    tensor *part = tensor_zeros(DIST_F64, width, width), *dx = tensor_zeros(DIST_F64, rows, width);
    if (!last)
        tensor_relu_backward(dy, y);
    tensor_transpose(xt, x);
    tensor_matmul(part, xt, dy);
    tensor_add(dw, part);
    tensor_transpose(wt, w);
    tensor_matmul(dx, dy, wt);
    tensor_free(part);
    tensor_free(wt);
    tensor_free(xt);
    return dx;
}

/* The samples of micro-batch i, in a tensor of their own. */
static tensor *piece_of(tensor *batch, int i, int pieces)
{
    int64_t rows = tensor_size(batch, 0) / pieces;
    tensor *view = tensor_slice(batch, i * rows, (i + 1) * rows), *piece = tensor_clone(view);
    tensor_free(view);
    return piece;
}

/* Micro-batch i comes in, goes through the layer, and out to the next stage. */
static void forward(struct stage *s, int i)
{
    bool last = s->rank == s->size - 1;
    s->x[i] = piece_of(s->batch, i, s->pieces);
    if (s->rank > 0)
        dist_recv(s->x[i], s->rank - 1);
    dist_span("forward %d", i)
        s->y[i] = layer_forward(s->x[i], s->w, last);

    /* TODO: if there is a next stage, send it y[i]. Do not wait: keep the work in y_sent[i]. backward() waits for it. */
    if (!last) {
        s->y_sent[i] = dist_isend(s->y[i], s->rank + 1);
        while (!dist_is_completed(s->y_sent[i]))
            ;
    }
    /* end of TODO */
}

static void backward(struct stage *s, int i)
{
    bool last = s->rank == s->size - 1;
    tensor *dy = tensor_clone(s->y[i]);
    if (last) {
        tensor *target = piece_of(s->target, i, s->pieces);
        tensor_sub(dy, target);
        tensor_free(target);
    } else {
        dist_recv(dy, s->rank + 1);
    }
    if (s->y_sent[i])
        dist_wait(s->y_sent[i]); /* it has arrived long ago: its gradient is here */
    dist_span("backward %d", i)
        s->dx[i] = layer_backward(dy, s->x[i], s->y[i], s->w, s->dw, last);

    /* TODO: if there is a stage before, send it dx[i]. Do not wait: keep the work in dx_sent[i]. train_batch() waits for it. */
    if (s->rank > 0)
        s->dx_sent[i] = dist_isend(s->dx[i], s->rank - 1);
    /* end of TODO */

    tensor_free(dy);
    tensor_free(s->y[i]);
    tensor_free(s->x[i]);
}

static void one_forward_one_backward(struct stage *s)
{
    /* TODO: all micro-batches through forward() and backward(), in the order of the picture. */
    int ahead = s->size - 1 - s->rank;
    if (ahead > s->pieces)
        ahead = s->pieces;
    for (int i = 0; i < ahead; i++)
        forward(s, i);
    for (int i = ahead; i < s->pieces; i++) {
        forward(s, i);
        backward(s, i - ahead);
    }
    for (int i = s->pieces - ahead; i < s->pieces; i++)
        backward(s, i);
    /* end of TODO */
}

/* The batch is x on rank 0; elsewhere only its shape matters. The last rank alone has a target. */
void train_batch(tensor *x, tensor *target, tensor *w, tensor *dw, int pieces, int rank, int world_size)
{
    struct stage s = { .rank = rank, .size = world_size, .pieces = pieces };
    s.batch = x, s.target = target, s.w = w, s.dw = dw;
    one_forward_one_backward(&s);
    for (int i = 0; i < pieces; i++) {
        if (s.dx_sent[i])
            dist_wait(s.dx_sent[i]);
        tensor_free(s.dx[i]);
    }
}
