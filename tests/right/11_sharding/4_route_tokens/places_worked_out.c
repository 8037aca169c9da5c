/* Works out for each token its place, as in a counting sort. */
#include "dist.h"

#include <stdlib.h>

enum { MOST = 8 }; /* ranks */

/* Row `from` of one matrix becomes row `to` of another. */
static void copy_row(tensor *out, int64_t to, const tensor *in, int64_t from)
{
    tensor *target = tensor_slice(out, to, to + 1), *source = tensor_slice(in, from, from + 1);
    tensor_copy(target, source);
    tensor_free(source);
    tensor_free(target);
}

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1), arriving = 0;
    int64_t counts[MOST + 1] = { 0 }, to[MOST], from[MOST];
    int64_t *place = malloc((size_t)(tokens + 1) * sizeof *place);
    for (int64_t i = 0; i < tokens; i++)
        place[i] = counts[choice[i]]++; /* in its block */
    tensor *out = tensor_from(DIST_I64, counts, world_size), *in = tensor_zeros(DIST_I64, world_size);
    dist_all_to_all(in, out);
    tensor_read(in, from);
    for (int r = 0, before = 0; r < world_size; r++) {
        arriving += from[r];
        to[r] = counts[r] * width;
        from[r] *= width;
        int many = (int)counts[r];
        counts[r] = before;
        before += many;
    }
    tensor *sorted = tensor_zeros(DIST_F32, tokens, width), *here = tensor_zeros(DIST_F32, arriving, width);
    for (int64_t i = tokens - 1; i >= 0; i--)
        copy_row(sorted, counts[choice[i]] + place[i], x, i);
    dist_all_to_all(here, sorted, .input_splits = to, .output_splits = from);
    work(here);
    dist_all_to_all(sorted, here, .input_splits = from, .output_splits = to);
    for (int64_t i = 0; i < tokens; i++)
        copy_row(y, i, sorted, counts[choice[i]] + place[i]);
    tensor *done[] = { out, in, sorted, here };
    for (int i = 0; i < 4; i++)
        tensor_free(done[i]);
    free(place);
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
