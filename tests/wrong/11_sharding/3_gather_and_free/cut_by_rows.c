/* feedback: first wrong element of gradient */
/*
 * 3_gather_and_free.c: exercise 11.3. Every rank keeps a share of each layer's weights, gathers them just before it needs them, and
 * frees them at once (ZeRO-3, FSDP).
 *
 *     keeps   [ share of layer 0 ][ share of layer 1 ][ share of layer 2 ] ...         1 / world_size of each
 *     time    gather 0, use, free | gather 1, use, free | gather 2, use, free | ...    one whole layer at a time
 *
 * shares[l] has this rank's share of layer l, width x width weights in all, cut in rank order into equal parts. Each rank has samples of
 * its own: y[0], and forward makes y[l + 1] from y[l]. Backward goes from the last layer to layer 0: gradients[l] becomes this
 * rank's share of the sum of all ranks' gradients of layer l, and nothing whole is kept longer than its layer's turn. Allowed
 * are dist_all_gather and dist_reduce_scatter. Your memory is measured: the largest number of bytes at any moment. All tensors are F64.
 *
 * Grade it:  make exercise-11.3        Run it:  make try-11.3 N=4        A hint:  make hint-11.3
 */
#include "dist.h"

/* relu(x w), a new tensor. */
static tensor *layer_forward(const tensor *x, const tensor *w)
{
    tensor *y = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(w, 1));
    tensor_matmul(y, x, w);
    tensor_relu(y);
    return y;
}

/* dw becomes the gradient by w; dy, by y, is freed, and a new one given: by x. */
static tensor *layer_backward(tensor *dw, tensor *dy, const tensor *y, const tensor *x, const tensor *w)
{
    tensor *turned = tensor_zeros(DIST_F64, tensor_size(x, 1), tensor_size(x, 0));
    tensor_relu_backward(dy, y);
    tensor_transpose(turned, x);
    tensor_matmul(dw, turned, dy);
    tensor_free(turned);
    turned = tensor_zeros(DIST_F64, tensor_size(w, 1), tensor_size(w, 0));
    tensor_transpose(turned, w);
    tensor *dx = tensor_zeros(DIST_F64, tensor_size(x, 0), tensor_size(x, 1));
    tensor_matmul(dx, dy, turned);
    tensor_free(turned);
    tensor_free(dy);
    return dx;
}

void forward(tensor **y, tensor **shares, int layers, int64_t width)
{
    for (int l = 0; l < layers; l++) {
        y[l + 1] = NULL;
        /* TODO: gather, layer_forward, free. */
        tensor *w = tensor_zeros(DIST_F64, width, width);
        dist_all_gather(w, shares[l]);
        y[l + 1] = layer_forward(y[l], w);
        tensor_free(w);
        /* end of TODO */
    }
}

/* dy is the gradient by y[layers], and yours to free. */
void backward(tensor **gradients, tensor *dy, tensor **y, tensor **shares, int layers, int64_t width)
{
    /* TODO: from the last layer to the first: what is gathered, what is cut, what is freed? */
    for (int l = layers - 1; l >= 0; l--) {
        tensor *w = tensor_zeros(DIST_F64, width, width), *dw = tensor_zeros(DIST_F64, width, width);
        dist_all_gather(w, shares[l]);
        dy = layer_backward(dw, dy, y[l + 1], y[l], w);
        tensor_free(w);
        int64_t rows = width / dist_get_world_size();
        tensor *cut = tensor_slice(dw, 0, rows * dist_get_world_size());
        tensor *mine = tensor_zeros(DIST_F64, rows, width);
        dist_reduce_scatter(mine, cut);
        tensor *flat = tensor_view(mine, rows * width), *to = tensor_slice(gradients[l], 0, rows * width);
        tensor_copy(to, flat);
        tensor_free(to);
        tensor_free(flat);
        tensor_free(mine);
        tensor_free(cut);
        tensor_free(dw);
    }
    /* end of TODO */
    tensor_free(dy);
}

static void run(int rank, int world_size)
{
    enum { LAYERS = 3 };
    dist_init_process_group();
    int64_t width = 2 * world_size;
    tensor *y[LAYERS + 1] = { tensor_full(DIST_F64, rank + 1, 1, width) }, *shares[LAYERS],
                       *gradients[LAYERS];
    for (int l = 0; l < LAYERS; l++) {
        shares[l] = tensor_full(DIST_F64, 1, width * width / world_size);
        gradients[l] = tensor_zeros(DIST_F64, width * width / world_size);
    }
    forward(y, shares, LAYERS, width);
    if (y[LAYERS]) {
        tensor_print(y[LAYERS], "rank %d: the last y", rank);
        backward(gradients, tensor_full(DIST_F64, 1, 1, width), y, shares, LAYERS, width);
    }
    tensor_print(gradients[0], "rank %d: gradients of layer 0", rank);
    printf("rank %d: %lld bytes at most\n", rank, (long long)tensor_max_memory_allocated());
    for (int l = 0; l < LAYERS; l++) {
        tensor_free(gradients[l]);
        tensor_free(shares[l]);
        tensor_free(y[l]);
    }
    tensor_free(y[LAYERS]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
