/* One function packs and unpacks, with a function for what is done to each row. */
#include "dist.h"

enum { MOST = 8 }; /* ranks */

/* Row `from` of one matrix becomes row `to` of another. */
static void copy_row(tensor *out, int64_t to, const tensor *in, int64_t from)
{
    tensor *target = tensor_slice(out, to, to + 1), *source = tensor_slice(in, from, from + 1);
    tensor_copy(target, source);
    tensor_free(source);
    tensor_free(target);
}

static void pack_row(tensor *sorted, int64_t place, tensor *plain, int64_t token)
{
    copy_row(sorted, place, plain, token);
}

static void unpack_row(tensor *sorted, int64_t place, tensor *plain, int64_t token)
{
    copy_row(plain, token, sorted, place);
}

static void walk(tensor *sorted, tensor *plain, const int64_t *choice, int world_size,
                 void (*each)(tensor *, int64_t, tensor *, int64_t))
{
    int64_t place = 0;
    for (int64_t r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tensor_size(plain, 0); i++)
            if (choice[i] == r)
                each(sorted, place++, plain, i);
}

static void numbers_to_everybody(int64_t *got, const int64_t *given, int n)
{
    tensor *a = tensor_from(DIST_I64, given, n), *b = tensor_zeros(DIST_I64, n);
    const int64_t ones[MOST] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    dist_all_to_all(b, a, .input_splits = ones, .output_splits = ones);
    tensor_read(b, got);
    tensor_free(b);
    tensor_free(a);
}

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t width = tensor_size(x, 1), to[MOST] = { 0 }, from[MOST], rows = 0;
    tensor *plain = tensor_clone(x), *sorted = tensor_clone(x);
    for (const int64_t *c = choice; c < choice + tensor_size(x, 0); c++)
        to[*c] += width;
    numbers_to_everybody(from, to, world_size);
    for (int r = 0; r < world_size; r++)
        rows += from[r] / width;
    walk(sorted, plain, choice, world_size, pack_row);
    tensor *here = tensor_zeros(DIST_F32, rows, width);
    dist_all_to_all(here, sorted, .input_splits = to, .output_splits = from);
    work(here);
    dist_all_to_all(sorted, here, .output_splits = to, .input_splits = from);
    walk(sorted, plain, choice, world_size, unpack_row);
    tensor_copy(y, plain);
    tensor_free(here);
    tensor_free(plain);
    tensor_free(sorted);
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
