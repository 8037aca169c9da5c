/*
 * experts.h: tokens, a router, and an expert, on one rank. No message is in it.
 *
 *     token x --> router: shares of 1, one for each expert --> the largest chooses --> y = x + share * expert(x)
 */
#ifndef EXPERTS_H
#define EXPERTS_H

#include "model.h"

enum { TOKENS = 64, WIDTH = 32, MIDDLE = 64, MOST_RANKS = 64 };

/* Numbers by chance between plus and minus `most`: the same for the same seed. */
static inline tensor *by_chance(uint32_t seed, double most, int rows, int columns)
{
    int64_t count = (int64_t)rows * columns;
    float *values = calloc((size_t)count, sizeof *values);
    for (int64_t i = 0; values && i < count; i++)
        values[i] = (float)(most * (draw(&seed) / 2147483648.0 - 1));
    tensor *t = tensor_from(DIST_F32, values, rows, columns);
    free(values);
    return t;
}

/* This rank's tokens are of some kinds more than of others, as a text is: half of them for one expert, a quarter for the next,
 * the rest for expert 0. A token lies near the router's column for that expert. */
static inline tensor *make_tokens(const tensor *router, int rank, int n)
{
    uint32_t seed = 100 + (uint32_t)rank;
    tensor *x = by_chance(seed, 0.3, TOKENS, WIDTH);
    float *tokens = calloc(TOKENS * WIDTH, sizeof *tokens),
          *columns = calloc((size_t)(WIDTH * n), sizeof *columns);
    tensor_read(x, tokens);
    tensor_read(router, columns);
    for (int i = 0; i < TOKENS; i++) {
        int chance = (int)(draw(&seed) % 4), kind = chance < 2 ? rank : chance == 2 ? (rank + 1) % n : 0;
        for (int k = 0; k < WIDTH; k++)
            tokens[i * WIDTH + k] += columns[k * n + kind];
    }
    tensor_write(x, tokens);
    free(columns);
    free(tokens);
    return x;
}

/* For each token the expert with the largest share, and that share. */
static inline void route(const tensor *x, const tensor *router, int n, int *expert, float *share)
{
    tensor *shares = product(x, router);
    float *values = calloc((size_t)(TOKENS * n), sizeof *values);
    tensor_softmax(shares);
    tensor_read(shares, values);
    for (int i = 0; i < TOKENS; i++) {
        expert[i] = 0;
        for (int e = 1; e < n; e++)
            if (values[i * n + e] > values[i * n + expert[i]])
                expert[i] = e;
        share[i] = values[i * n + expert[i]];
    }
    free(values);
    tensor_free(shares);
}

/* Expert `number`, an MLP, on these rows: none is fine. */
static inline tensor *expert_forward(const tensor *x, int number)
{
    tensor *w1 = by_chance(1000 + (uint32_t)number, 0.2, WIDTH, MIDDLE);
    tensor *w2 = by_chance(2000 + (uint32_t)number, 0.2, MIDDLE, WIDTH);
    tensor *h = product(x, w1);
    tensor_gelu(h);
    tensor *y = product(h, w2);
    tensor_free(h);
    tensor_free(w2);
    tensor_free(w1);
    return y;
}

/* y = x + share * expert(x), for the tokens in `order`, whose rows stand in `given` in that order. */
static inline tensor *take_back(const tensor *x, const tensor *given, const int *order, int count,
                                const float *share)
{
    tensor *y = tensor_clone(x);
    for (int i = 0; i < count; i++) {
        tensor *row = rows_of(y, order[i], 1), *from = rows_of(given, i, 1), *part = tensor_clone(from);
        tensor_mul_scalar(part, share[order[i]]);
        add_and_free(row, part);
        tensor_free(from);
        tensor_free(row);
    }
    return y;
}

/* The same on one rank, which has all experts: each token by itself. */
static inline tensor *alone(const tensor *x, const int *expert, const int *order, int count)
{
    tensor *given = tensor_zeros(DIST_F32, count, WIDTH);
    for (int i = 0; i < count; i++) {
        tensor *token = rows_of(x, order[i], 1), *row = rows_of(given, i, 1);
        tensor *y = expert_forward(token, expert[order[i]]);
        tensor_copy(row, y);
        tensor_free(y);
        tensor_free(row);
        tensor_free(token);
    }
    return given;
}

#endif
