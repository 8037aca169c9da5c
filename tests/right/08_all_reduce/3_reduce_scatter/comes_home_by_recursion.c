/* A recursion: what a block has grown to when it leaves is what has come, and this rank's part. */
#include "dist.h"

struct place {
    tensor *input;
    int rank, n;
};

static tensor *part(const struct place *p, int i)
{
    int64_t size = tensor_numel(p->input) / p->n;
    tensor *view = tensor_slice(p->input, (i + p->n) % p->n * size, ((i + p->n) % p->n + 1) * size);
    tensor *copy = tensor_clone(view);
    tensor_free(view);
    return copy;
}

/* What this rank holds after so many steps. */
static tensor *held(const struct place *p, int steps)
{
    tensor *mine = part(p, (p->rank - 1 - steps) % p->n);
    if (steps == 0)
        return mine;
    tensor *leaving = held(p, steps - 1), *arriving = tensor_clone(leaving);
    dist_work *works[2] = { [1] = dist_isend(leaving, (p->rank + 1) % p->n, .tag = steps),
                            [0] = dist_irecv(arriving, (p->rank + p->n - 1) % p->n, .tag = steps) };
    for (int i; (i = dist_wait_any(works, 2)) >= 0;)
        if (i == 0)
            tensor_add(mine, arriving);
    tensor_free(arriving);
    tensor_free(leaving);
    return mine;
}

void reduce_scatter(tensor *output, tensor *input, int rank, int n)
{
    tensor *mine = held(&(struct place){ input, rank, n }, n - 1);
    tensor_copy(output, mine);
    tensor_free(mine);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *input = tensor_arange(DIST_F32, 100 * rank + 1, 100 * rank + 1 + 2 * world_size);
    tensor *output = tensor_zeros(DIST_F32, 2);
    reduce_scatter(output, input, rank, world_size);
    tensor_print(output, "rank %d gets", rank);
    tensor_free(output);
    tensor_free(input);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
