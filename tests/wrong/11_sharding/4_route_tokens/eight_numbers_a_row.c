/* feedback: first wrong element of y */
/*
 * 4_route_tokens.c: exercise 11.4. A mixture of experts: every rank has one expert, and every token goes to the expert that the router has
 * chosen for it, and comes back.
 *
 *     rank 0    tokens  a b c d      expert  2 0 2 1
 *
 *     sorted            b | d | a c                     to ranks 0, 1 and 2: 1, 1 and 2 tokens
 *     there             all that have come, one source behind the other; my expert works on them
 *     back              b | d | a c  ->  a b c d        each in its place
 *
 * x has `tokens` rows of `width` numbers; choice[i] is the rank to whose expert row i goes. work() is this rank's expert: it
 * changes all rows of a matrix in place; it is called once, also with no row. y becomes what the experts have made of x's rows,
 * in the order of x.
 * One collective is allowed, dist_all_to_all, with .input_splits and .output_splits (counts of elements), and it is needed three
 * times. How many tokens come, nobody knows before.
 *
 * Grade it:  make exercise-11.4        Run it:  make try-11.4 N=4        A hint:  make hint-11.4
 */
#include "dist.h"

#include <stdlib.h>

enum { MOST = 8 }; /* ranks */

/* Row `from` of one matrix becomes row `to` of another. */
static void copy_row(tensor *out, int64_t to, const tensor *in, int64_t from)
{
    double row[8];
    int64_t width = tensor_size(in, 1);
    for (int64_t i = 0; i < width && i < 8; i++)
        row[i] = tensor_item(in, from * width + i);
    for (int64_t i = 0; i < width && i < 8; i++)
        tensor_set(out, to * width + i, row[i]);
}

void route(tensor *y, const tensor *x, const int64_t *choice, int world_size, void (*work)(tensor *rows))
{
    int64_t tokens = tensor_size(x, 0), width = tensor_size(x, 1);
    int64_t to[MOST] = { 0 }, from[MOST] = { 0 }; /* elements for each rank, and from each */
    int64_t arriving = 0;                         /* tokens */
    tensor *sorted = tensor_zeros(DIST_F32, tokens, width);

    /* TODO: count what goes to each rank, and let everybody know what comes from whom. */
    for (int64_t i = 0; i < tokens; i++)
        to[choice[i]] += width;
    tensor *out = tensor_from(DIST_I64, to, world_size), *in = tensor_zeros(DIST_I64, world_size);
    dist_all_to_all(in, out);
    tensor_read(in, from);
    tensor_free(in);
    tensor_free(out);
    for (int r = 0; r < world_size; r++)
        arriving += from[r] / width;
    /* end of TODO */

    tensor *here = tensor_zeros(DIST_F32, arriving, width); /* at my expert */

    /* TODO: sort, send, work, send back. */
    int64_t next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                copy_row(sorted, next++, x, i);
    dist_all_to_all(here, sorted, .input_splits = to, .output_splits = from);
    work(here);
    dist_all_to_all(sorted, here, .input_splits = from, .output_splits = to);
    /* end of TODO */

    /* TODO: each row to its place in y. */
    next = 0;
    for (int r = 0; r < world_size; r++)
        for (int64_t i = 0; i < tokens; i++)
            if (choice[i] == r)
                copy_row(y, i, sorted, next++);
    /* end of TODO */
    tensor_free(here);
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
