/* feedback: first wrong element of y */
#include "dist.h"

#include <stdlib.h>

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1), to[8] = { 0 }, from[8] = { 0 },
            arriving = 0;
    for (int64_t i = 0; i < tokens; i++)
        to[choice[i]] += width;
    tensor *out = tensor_from(DIST_I64, to, world_size), *in = tensor_zeros(DIST_I64, world_size);
    dist_all_to_all(in, out);
    tensor_read(in, from);
    tensor_free(in);
    tensor_free(out);
    for (int r = 0; r < world_size; r++)
        arriving += from[r] / width;
    tensor *sorted = tensor_zeros(DIST_F16, tokens, width), *come = tensor_zeros(DIST_F16, arriving, width);
    tensor *here = tensor_zeros(DIST_F32, arriving, width), *home = tensor_zeros(DIST_F32, tokens, width);
    int64_t next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            for (int64_t k = 0; choice[i] == r && k < width; k++)
                tensor_set(sorted, next++, tensor_item(x, i * width + k));
    dist_all_to_all(come, sorted, .input_splits = to, .output_splits = from);
    tensor_copy(here, come);
    work(here);
    dist_all_to_all(home, here, .input_splits = from, .output_splits = to);
    next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            for (int64_t k = 0; choice[i] == r && k < width; k++)
                tensor_set(y, i * width + k, tensor_item(home, next++));
    tensor *done[] = { home, here, come, sorted };
    for (int i = 0; i < 4; i++)
        tensor_free(done[i]);
}
