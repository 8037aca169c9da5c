/* A recursion for each half; prints and spans of its own. */
#include "dist.h"

static tensor *block(tensor *x, int i, int n)
{
    int64_t count = tensor_numel(x), k = (i % n + n) % n;
    return tensor_slice(x, count * k / n, count * (k + 1) / n);
}

static void exchange(tensor *leaving, tensor *arriving, int rank, int n)
{
    dist_work *works[] = { dist_isend(leaving, (rank + 1) % n, .tag = 3),
                           dist_irecv(arriving, (rank - 1 + n) % n, .tag = 3) };
    dist_wait_all(works, 2);
}

static void reduce(tensor *x, int at, int left, int rank, int n)
{
    if (left == 0)
        return;
    tensor *leaving = block(x, at, n), *growing = block(x, at - 1, n), *inbox = tensor_clone(growing);
    dist_span("desk: step of block %d", at) {
        exchange(leaving, inbox, rank, n);
        tensor_add(growing, inbox);
    }
    tensor_free(leaving);
    tensor_free(growing);
    tensor_free(inbox);
    reduce(x, at - 1, left - 1, rank, n);
}

static void gather(tensor *x, int at, int left, int rank, int n)
{
    if (left == 0)
        return;
    tensor *leaving = block(x, at, n), *kept = block(x, at - 1, n);
    exchange(leaving, kept, rank, n);
    tensor_free(leaving);
    tensor_free(kept);
    gather(x, at - 1, left - 1, rank, n);
}

void ring_all_reduce(tensor *x, int rank, int n)
{
    reduce(x, rank, n - 1, rank, n);
    gather(x, rank + 1, n - 1, rank, n);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 11);
    ring_all_reduce(x, rank, world_size);
    tensor_print(x, "rank %d ends with", rank);
    tensor_free(x);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
