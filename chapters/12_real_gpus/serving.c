/*
 * serving.c: a layer of a language model, cut into as many parts as there are ranks. Answering a question also waits for
 * collectives: one for each layer and each step.
 *
 *     prefill   all words of the question at once      one large all_reduce
 *     decode    the words of the answer, one by one    many small ones
 *
 * Rank r holds a slice of the inner dimension of both matrices, so that nothing has to be sent in between:
 *
 *     y = relu(x A) B = sum over r of relu(x A[:, r]) B[r, :]
 *
 * Run it:  make run-12 PROG=serving N=4
 */
#include "dist.h"

#include <stdlib.h>

enum { WIDTH = 30, INNER = 56, WORDS = 16 };

struct layer {
    tensor *a, *b; /* WIDTH x mine, mine x WIDTH */
    int64_t mine;  /* columns of A, rows of B */
    int reduces;
    int64_t bytes; /* that an all_reduce had */
};

/* Whole numbers, small ones, and the same for any number of ranks: so sums are exact. */
static double weight(int64_t i, int64_t j)
{
    return (double)((3 * i + 5 * j) % 7) - 3;
}

static tensor *weights(int64_t rows, int64_t columns, int64_t first_row, int64_t first_column)
{
    float *values = malloc((size_t)(rows * columns) * sizeof *values);
    for (int64_t i = 0; i < rows * columns; i++)
        values[i] = (float)weight(first_row + i / columns, first_column + i % columns);
    tensor *t = tensor_from(DIST_F32, values, rows, columns);
    free(values);
    return t;
}

/* y = the layer's answer to x, of `words` rows. */
static void answer(struct layer *l, tensor *y, tensor *x, int64_t words)
{
    tensor *inner = tensor_zeros(DIST_F32, words, l->mine);
    tensor_matmul(inner, x, l->a);
    tensor_relu(inner);
    tensor_matmul(y, inner, l->b);
    dist_all_reduce(y);
    l->reduces++;
    l->bytes = 4 * words * WIDTH;
    tensor_free(inner);
}

/* All rows at once, or one after the other. Gives the seconds that it took. */
static double ask(struct layer *l, tensor *y, tensor *x, int64_t at_once)
{
    l->reduces = 0;
    dist_barrier();
    double start = dist_time();
    for (int64_t i = 0; i < WORDS; i += at_once) {
        tensor *question = tensor_slice(x, i, i + at_once), *reply = tensor_slice(y, i, i + at_once);
        answer(l, reply, question, at_once);
        tensor_free(reply);
        tensor_free(question);
    }
    dist_synchronize();
    return dist_time() - start;
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    int64_t begin = INNER * rank / world_size, end = INNER * (rank + 1) / world_size;
    struct layer l = { .mine = end - begin };
    l.a = weights(WIDTH, l.mine, 0, begin);
    l.b = weights(l.mine, WIDTH, begin, 0);
    tensor *x = weights(WORDS, WIDTH, 0, 0), *y = tensor_zeros(DIST_F32, WORDS, WIDTH), *z = tensor_clone(y);
    for (int decode = 0; decode < 2; decode++) {
        tensor *out = decode ? z : y;
        ask(&l, out, x, decode ? 1 : WORDS);
        double seconds = ask(&l, out, x, decode ? 1 : WORDS);
        if (rank == 0)
            printf("%s: %2d all_reduce%s of %lld bytes, %.1f us in all\n", decode ? "decode " : "prefill",
                   l.reduces, l.reduces > 1 ? "s" : "", (long long)l.bytes, seconds * 1e6);
    }
    double sum = tensor_sum(y);
    if (rank == 0)
        printf("both say the same: %s; the sum of all answers is %g\n", tensor_equal(y, z) ? "yes" : "no",
               sum);
    tensor_free(z);
    tensor_free(y);
    tensor_free(x);
    tensor_free(l.b);
    tensor_free(l.a);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
