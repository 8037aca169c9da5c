/* Both together in a batch; one inbox for all steps, of which a slice is used. */
#include "dist.h"

static tensor *block(tensor *x, int i, int n)
{
    int64_t count = tensor_numel(x), k = (i % n + n) % n;
    return tensor_slice(x, count * k / n, count * (k + 1) / n);
}

static void pass_on(tensor *leaving, tensor *arriving, int rank, int n)
{
    dist_work *works[2];
    dist_batch_isend_irecv(
        (dist_p2p_op[]){ { .kind = DIST_ISEND, .tensor = leaving, .peer = (rank + 1) % n },
                         { .kind = DIST_IRECV, .tensor = arriving, .peer = (rank + n - 1) % n } },
        2, works);
    for (int i = 0; i < 2; i++)
        dist_wait(works[i]);
}

void ring_all_reduce(tensor *x, int rank, int n)
{
    tensor *inbox = tensor_zeros(tensor_type(x), tensor_numel(x) / n + 1);
    for (int step = 0; step < 2 * (n - 1); step++) {
        bool adding = step < n - 1;
        tensor *leaving = block(x, rank - step + !adding * n, n), *arriving = block(x, rank - step - 1, n);
        tensor *room = adding ? tensor_slice(inbox, 0, tensor_numel(arriving)) : NULL;
        pass_on(leaving, room ? room : arriving, rank, n);
        if (adding)
            tensor_add(arriving, room);
        tensor_free(room);
        tensor_free(arriving);
        tensor_free(leaving);
    }
    tensor_free(inbox);
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
