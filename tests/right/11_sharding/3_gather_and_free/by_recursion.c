/* A recursion over layers, and prints of how much memory there is. */
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

struct net {
    tensor **gradients, **y, **shares;
    int64_t width;
};

static tensor *gather(tensor *share, int64_t width)
{
    tensor *flat = tensor_zeros(DIST_F64, width * width), *w = tensor_view(flat, width, width);
    dist_all_gather(flat, share);
    tensor_free(flat);
    return w;
}

static tensor *back(const struct net *net, tensor *dy, int l)
{
    if (l < 0)
        return dy;
    tensor *dw = tensor_zeros(DIST_F64, net->width, net->width), *w = gather(net->shares[l], net->width);
    dy = layer_backward(dw, dy, net->y[l + 1], net->y[l], w);
    dist_reduce_scatter(net->gradients[l], dw);
    tensor_free(w);
    tensor_free(dw);
    return back(net, dy, l - 1);
}

void forward(tensor **y, tensor **shares, int layers, int64_t width)
{
    if (layers == 0)
        return;
    tensor *w = gather(shares[0], width);
    y[1] = layer_forward(y[0], w);
    tensor_free(w);
    forward(y + 1, shares + 1, layers - 1, width);
}

void backward(tensor **gradients, tensor *dy, tensor **y, tensor **shares, int layers, int64_t width)
{
    struct net net = { gradients, y, shares, width };
    tensor_free(back(&net, dy, layers - 1));
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
