/* feedback: It ended with exit status */
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
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1);
    int64_t to[MOST] = { 0 }, from[MOST] = { 0 }; /* elements for each rank, and from each */
    int64_t arriving = 0;                         /* tokens */
    static tensor *sorted;
    if (!sorted)
        sorted = tensor_zeros(DIST_F32, tokens, width);

    for (int64_t i = 0; i < tokens; i++)
        to[choice[i]] += width;
    tensor *out = tensor_from(DIST_I64, to, world_size), *in = tensor_zeros(DIST_I64, world_size);
    dist_all_to_all(in, out);
    tensor_read(in, from);
    tensor_free(in);
    tensor_free(out);
    for (int r = 0; r < world_size; r++)
        arriving += from[r] / width;

    tensor *here = tensor_zeros(DIST_F32, arriving, width); /* at my expert */

    int64_t next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                copy_row(sorted, next++, x, i);
    dist_all_to_all(here, sorted, .input_splits = to, .output_splits = from);
    work(here);
    dist_all_to_all(sorted, here, .input_splits = from, .output_splits = to);

    next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                copy_row(y, i, sorted, next++);
    tensor_free(here);
}
