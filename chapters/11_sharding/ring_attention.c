/*
 * ring_attention.c: the sequence cut over the ranks. Queries stay; keys and values go round a ring, while attention to those that
 * are here is computed. Known as context parallelism.
 *
 *     rank 0: q0  --> attend to k0 v0, then k3 v3, then k2 v2, then k1 v1        blocks travel to the next rank
 *     rank 1: q1  --> attend to k1 v1, then k0 v0, ...
 *
 * Nobody ever has a whole row of scores, so the softmax runs: for each query the largest score so far, the sum of e^(score -
 * largest), and the values weighed with those. When a larger score comes, what was summed is shrunk.
 *
 * Run it:  make run-11 PROG=ring_attention N=4
 */
#include "model.h"

enum { SIZE = 16, CHARACTERS = 256 };

/* What a rank knows of its queries so far. */
struct running {
    int rows;
    const float *q;                 /* rows x SIZE */
    double *largest, *sum, *values; /* rows, rows, rows x SIZE */
};

/* One query meets one key: s is their score, v the value. */
static void meet(struct running *r, int i, double s, const float *v)
{
    if (s > r->largest[i]) {
        double shrink = exp(r->largest[i] - s);
        r->largest[i] = s;
        r->sum[i] *= shrink;
        for (int k = 0; k < SIZE; k++)
            r->values[i * SIZE + k] *= shrink;
    }
    double weight = exp(s - r->largest[i]);
    r->sum[i] += weight;
    for (int k = 0; k < SIZE; k++)
        r->values[i * SIZE + k] += weight * v[k];
}

/* My queries meet block `from`'s keys: none that is later, so a block behind mine is passed on unread. */
static void attend(struct running *r, const tensor *kv, int rank, int from)
{
    const float *keys = tensor_data(kv), *values = keys + r->rows * SIZE;
    for (int i = 0; from <= rank && i < r->rows; i++)
        for (int j = 0; j < r->rows && (from < rank || j <= i); j++) {
            double s = 0;
            for (int k = 0; k < SIZE; k++)
                s += (double)r->q[i * SIZE + k] * keys[j * SIZE + k];
            meet(r, i, s / sqrt(SIZE), &values[j * SIZE]);
        }
}

/* n - 1 times: send what is here, receive the next, and compute meanwhile. Returns the bytes that were sent. */
static long long go_round(struct running *r, tensor *kv, int rank, int n)
{
    tensor *next = tensor_clone(kv);
    long long sent = 0;
    for (int step = 0; step < n; step++) {
        int from = (rank - step + n) % n;
        dist_work *works[2];
        if (step < n - 1) {
            works[0] = dist_irecv(next, (rank + n - 1) % n);
            works[1] = dist_isend(kv, (rank + 1) % n);
            sent += 4 * (long long)tensor_numel(kv);
        }
        dist_span("block %d", from)
            attend(r, kv, rank, from);
        if (step < n - 1)
            dist_wait_all(works, 2);
        tensor *free_one = kv;
        kv = next;
        next = free_one;
    }
    tensor_free(next);
    tensor_free(kv);
    return sent;
}

/* The same by model.h's way: all scores at once, on one rank. */
static tensor *at_once(const tensor *q, const tensor *k, const tensor *v)
{
    tensor *p = product_nt(q, k);
    tensor_mul_scalar(p, 1 / sqrt(SIZE));
    tensor_causal_mask(p, 0);
    tensor_softmax(p);
    tensor *o = product(p, v);
    tensor_free(p);
    return o;
}

static tensor *matrix_for(uint32_t seed, int rows)
{
    float *values = calloc((size_t)rows * SIZE, sizeof *values);
    for (int i = 0; values && i < rows * SIZE; i++)
        values[i] = (float)(2 * (draw(&seed) / 2147483648.0 - 1));
    tensor *t = tensor_from(DIST_F32, values, rows, SIZE);
    free(values);
    return t;
}

static void run(int rank, int n)
{
    dist_init_process_group();
    dist_set_device(DIST_HOST); /* attention is computed here by hand, in C */
    int rows = CHARACTERS / n, all = rows * n;
    tensor *q = matrix_for(1, all), *k = matrix_for(2, all), *v = matrix_for(3, all);
    tensor *my_q = rows_of(q, rank, rows), *my_k = rows_of(k, rank, rows), *my_v = rows_of(v, rank, rows);
    tensor *kv = tensor_zeros(DIST_F32, 2, rows, SIZE), *half = rows_of(kv, 0, 1), *other = rows_of(kv, 1, 1);
    tensor_copy(half, my_k);
    tensor_copy(other, my_v);
    tensor *room = tensor_zeros(DIST_F64, rows, SIZE + 2), *out = tensor_zeros(DIST_F32, rows, SIZE);
    struct running r = { .rows = rows, .q = tensor_data(my_q), .largest = tensor_data(room) };
    r.sum = r.largest + rows;
    r.values = r.sum + rows;
    for (int i = 0; i < rows; i++)
        r.largest[i] = -INFINITY;
    long long sent = go_round(&r, kv, rank, n);
    for (int i = 0; i < rows * SIZE; i++)
        tensor_set(out, i, r.values[i] / r.sum[i / SIZE]);

    tensor *right = at_once(q, k, v), *mine = rows_of(right, rank, rows);
    double apart = 0;
    for (int i = 0; i < rows * SIZE; i++)
        apart = fmax(apart, fabs(tensor_item(out, i) - tensor_item(mine, i)));
    printf("rank %d: %d of %d queries, %s; it sent %lld bytes, predicted %d x 2 x %d x %d x 4 = %d\n", rank,
           rows, all, apart < 1e-6 ? "equal to within 1e-6" : "WRONG", sent, n - 1, rows, SIZE,
           (n - 1) * 2 * rows * SIZE * 4);
    tensor *gone[] = { mine, right, out, room, other, half, my_v, my_k, my_q, v, k, q };
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        tensor_free(gone[i]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
