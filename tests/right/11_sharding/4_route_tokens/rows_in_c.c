/* Rows are moved in C; what comes back comes into a tensor of its own. */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

struct token {
    int64_t expert, number;
};

static int by_expert(const void *a, const void *b)
{
    const struct token *left = a, *right = b;
    int64_t more =
        left->expert != right->expert ? left->expert - right->expert : left->number - right->number;
    return (more > 0) - (more < 0);
}

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1), all = 0;
    size_t n = (size_t)world_size, row = (size_t)width * sizeof(float);
    struct token *list = calloc((size_t)tokens + 1, sizeof *list);
    int64_t *to = calloc(n, sizeof *to), *from = calloc(n, sizeof *from);
    tensor *out = tensor_zeros(DIST_F32, tokens * width), *back = tensor_clone(out), *here;
    for (int64_t i = 0; i < tokens; to[choice[i++]] += width)
        list[i] = (struct token){ choice[i], i };
    qsort(list, (size_t)tokens, sizeof *list, by_expert);
    for (int64_t i = 0; i < tokens; i++)
        memcpy((float *)tensor_data(out) + i * width, (float *)tensor_data(x) + list[i].number * width, row);
    tensor *counts[] = { tensor_from(DIST_I64, to, world_size), tensor_from(DIST_I64, from, world_size) };
    dist_wait(dist_all_to_all(counts[1], counts[0], .async_op = true));
    tensor_read(counts[1], from);
    for (size_t i = 0; i < n; i++)
        all += from[i];
    here = tensor_zeros(DIST_F32, all / width, width);
    dist_wait(dist_all_to_all(here, out, .input_splits = to, .output_splits = from, .async_op = true));
    (*work)(here);
    dist_wait(dist_all_to_all(back, here, .input_splits = from, .output_splits = to, .async_op = true));
    float *values = tensor_data(y);
    for (int64_t i = 0; i < tokens; i++)
        memcpy(values + list[i].number * width, (float *)tensor_data(back) + i * width, row);
    tensor_free(here);
    tensor_free(back);
    tensor_free(out);
    tensor_free(counts[0]);
    tensor_free(counts[1]);
    free(from);
    free(to);
    free(list);
}

static void times_ten(tensor *rows)
{
    tensor_mul_scalar(rows, 10);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int64_t choice[3] = { rank % world_size, 0, (rank + 1) % world_size };
    tensor *flat = tensor_arange(DIST_F32, 10 * rank, 10 * rank + 6), *x = tensor_view(flat, 3, 2);
    tensor *y = tensor_zeros(DIST_F32, 3, 2);
    route(y, x, choice, world_size, times_ten);
    tensor_print(y, "rank %d has", rank);
    tensor_free(y);
    tensor_free(x);
    tensor_free(flat);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
