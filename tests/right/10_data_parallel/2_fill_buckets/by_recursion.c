/* A recursion: what is started on the way down is waited for on the way up. */
#include "dist.h"

enum { MOST = 8 }; /* layers */

struct pass {
    tensor *flat;
    const int64_t *begin;
    int64_t full;
    void (*backward)(int layer);
};

static void layers_from(const struct pass *pass, int l, int64_t end)
{
    if (l < 0)
        return;
    pass->backward(l);
    if (end - pass->begin[l] < pass->full && l > 0) {
        layers_from(pass, l - 1, end);
        return;
    }
    tensor *bucket = tensor_slice(pass->flat, pass->begin[l], end);
    dist_work *sum = dist_all_reduce(bucket, .async_op = true);
    layers_from(pass, l - 1, pass->begin[l]);
    dist_wait(sum);
    tensor_free(bucket);
}

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    layers_from(&(struct pass){ flat, begin, full, backward }, layers - 1, begin[layers]);
}

static _Thread_local tensor *gradients; /* of this rank */
static const int64_t begins[] = { 0, 6, 9, 15, 18 };

static void compute(int layer)
{
    dist_span("backward %d", layer) {
        for (int64_t i = begins[layer]; i < begins[layer + 1]; i++)
            tensor_set(gradients, i, 100 * layer + (double)i);
    }
}

static void run(int rank, int world_size)
{
    (void)world_size;
    dist_init_process_group();
    gradients = tensor_zeros(DIST_F32, 18);
    sum_in_buckets(gradients, begins, 4, 8, compute);
    tensor_print(gradients, "rank %d has", rank);
    tensor_free(gradients);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
