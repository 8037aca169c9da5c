/* feedback: x is const, and yet it was changed */
#include "dist.h"

#include <stdlib.h>
#include <string.h>

static void take(float *to, int64_t at, const float *from, int64_t row, int64_t width)
{
    memcpy(to + at * width, from + row * width, (size_t)width * sizeof *to);
}

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1), arriving = 0, next = 0;
    int64_t *to = calloc((size_t)world_size, sizeof *to), *from = calloc((size_t)world_size, sizeof *from);
    for (int64_t i = 0; i < tokens; i++)
        to[choice[i]] += width;
    tensor *out = tensor_from(DIST_I64, to, world_size), *in = tensor_zeros(DIST_I64, world_size);
    dist_all_to_all(in, out);
    tensor_read(in, from);
    tensor_free(in);
    tensor_free(out);
    for (int r = 0; r < world_size; r++)
        arriving += from[r] / width;
    tensor *here = tensor_zeros(DIST_F32, arriving, width), *copy = tensor_clone(x);
    float *rows = tensor_data(x);
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                take(rows, next++, tensor_data(copy), i, width);
    dist_all_to_all(here, (tensor *)x, .input_splits = to, .output_splits = from);
    work(here);
    dist_all_to_all(copy, here, .input_splits = from, .output_splits = to);
    next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                take(tensor_data(y), i, tensor_data(copy), next++, width);
    tensor_free(copy);
    tensor_free(here);
    free(from);
    free(to);
}
