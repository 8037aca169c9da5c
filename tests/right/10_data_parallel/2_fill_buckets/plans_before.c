/* Plans all buckets before, then goes through the plan. */
#include "dist.h"

enum { MOST = 8 }; /* layers */

struct bucket {
    int first, last; /* layers */
    tensor *view;
    dist_work *sum;
};

static int plan(struct bucket *buckets, const int64_t *begin, int layers, int64_t full)
{
    int count = 0, last = layers - 1;
    for (int l = layers - 1; l >= 0; l--)
        if (begin[last + 1] - begin[l] >= full || l == 0) {
            buckets[count++] = (struct bucket){ .first = l, .last = last };
            last = l - 1;
        }
    return count;
}

void sum_in_buckets(tensor *flat, const int64_t *begin, int layers, int64_t full, void (*backward)(int layer))
{
    struct bucket buckets[MOST], *b = buckets;
    const struct bucket *end = buckets + plan(buckets, begin, layers, full);
    for (; b < end; b++) {
        for (int l = b->last; l >= b->first; l--)
            backward(l);
        b->view = tensor_slice(flat, begin[b->first], begin[b->last + 1]);
        b->sum = dist_all_reduce(b->view, .async_op = true);
    }
    while (b-- > buckets) {
        dist_wait(b->sum);
        tensor_free(b->view);
    }
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
