/*
 * sparse.c: when most gradients are zero, only those ranks talk that have something to say, and only about that.
 *
 *     a table of 1,024 rows, one for each word; a rank has met few words, so few rows of its gradient are not zero;
 *     every rank owns a block of the rows, and adds up what the others have for them
 *
 *     rank 0 --2 rows--> rank 1 --9 rows--> rank 3           first: how many rows will come? then the rows, all at once
 *
 * Run it:  make run-10 PROG=sparse N=4
 */
#include "train.h"

enum {
    WORDS = 1024,
    DEPTH = 16,
    ROW = 1 + DEPTH,
    MOST_RANKS = 64
}; /* a row travels with its number in front */

/* The gradient of the table on this rank: a few words from two blocks, their own and one more. */
static void make_gradient(float *gradient, int rank, int n)
{
    uint32_t seed = 77 + (uint32_t)rank;
    int met = (7 * rank + 3) % 11, block = WORDS / n;
    for (int i = 0; i < met; i++) {
        int where = i % 3 ? (2 * rank + 1) % n : rank;
        int word = where * block + (int)(draw(&seed) % (uint32_t)block);
        for (int k = 0; k < DEPTH; k++)
            gradient[word * DEPTH + k] = (float)(1 + draw(&seed) % 9);
    }
}

/* The rows that `to` owns and that are not zero, one after the other. */
static tensor *rows_for(const float *gradient, int to, int n)
{
    static const float zeros[DEPTH];
    int block = WORDS / n, count = 0;
    float *rows = calloc((size_t)block * ROW, sizeof *rows);
    for (int w = to * block; w < (to + 1) * block; w++)
        if (memcmp(&gradient[w * DEPTH], zeros, sizeof zeros) != 0) {
            rows[count * ROW] = (float)w;
            memcpy(&rows[count++ * ROW + 1], &gradient[w * DEPTH], sizeof zeros);
        }
    tensor *t = tensor_from(DIST_F32, rows, count * ROW);
    free(rows);
    return t;
}

/* Add rows that came; the sum is that of the rank's own block and zero elsewhere. */
static void add_rows(float *sum, const tensor *rows)
{
    int count = (int)tensor_numel(rows) / ROW;
    float *values = calloc((size_t)count * ROW + 1, sizeof *values);
    tensor_read(rows, values);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < DEPTH; k++)
            sum[(int)values[i * ROW] * DEPTH + k] += values[i * ROW + 1 + k];
    free(values);
}

/* Returns how many bytes this rank sent to others, and in how many messages. */
static int exchange(const float *gradient, float *sum, int rank, int n, int *messages)
{
    tensor *out[MOST_RANKS], *in[MOST_RANKS];
    dist_work *works[2 * MOST_RANKS];
    int64_t counts[MOST_RANKS] = { 0 }, sent = 0;
    int started = 0;
    for (int r = 0; r < n; r++)
        counts[r] = tensor_numel(out[r] = rows_for(gradient, r, n));
    tensor *leaving = tensor_from(DIST_I64, counts, n), *coming = tensor_zeros(DIST_I64, n);
    dist_all_to_all(coming, leaving);
    for (int r = 0; r < n; r++) {
        in[r] = tensor_zeros(DIST_F32, (int64_t)tensor_item(coming, r));
        if (r != rank && tensor_numel(in[r]) > 0)
            works[started++] = dist_irecv(in[r], r);
        if (r != rank && counts[r] > 0) {
            works[started++] = dist_isend(out[r], r);
            sent += 4 * counts[r];
            ++*messages;
        }
    }
    dist_wait_all(works, started);
    for (int r = 0; r < n; r++) {
        add_rows(sum, r == rank ? out[r] : in[r]);
        tensor_free(in[r]);
    }
    for (int r = 0; r < n; r++)
        tensor_free(out[r]);
    tensor_free(coming);
    tensor_free(leaving);
    return (int)sent;
}

/* Is the sum what an all_reduce of the whole table gives, in this rank's block? */
static bool is_right(const float *gradient, const float *sum, int rank, int n)
{
    tensor *all = tensor_from(DIST_F32, gradient, WORDS, DEPTH);
    dist_all_reduce(all);
    tensor *mine = tensor_slice(all, rank * (WORDS / n), (rank + 1) * (WORDS / n));
    tensor *got = tensor_from(DIST_F32, sum + rank * (WORDS / n) * DEPTH, WORDS / n, DEPTH);
    bool right = tensor_equal(got, mine);
    tensor_free(got);
    tensor_free(mine);
    tensor_free(all);
    return right;
}

static void run(int rank, int world_size)
{
    if (world_size > MOST_RANKS) {
        fprintf(stderr, "sparse has room for %d ranks: make run-10 PROG=sparse N=4\n", MOST_RANKS);
        exit(2);
    }
    dist_init_process_group();
    float *gradient = calloc((size_t)2 * WORDS * DEPTH, sizeof *gradient), *sum = gradient + WORDS * DEPTH;
    make_gradient(gradient, rank, world_size);
    int messages = 0, sent = exchange(gradient, sum, rank, world_size, &messages);
    bool right = is_right(gradient, sum, rank, world_size);
    printf("rank %d sent %4d bytes of rows in %d message%s; its block is %s\n", rank, sent, messages,
           messages == 1 ? "" : "s", right ? "right" : "WRONG");
    double all = over_all(sent, DIST_SUM);
    if (rank == 0)
        printf("together %.0f bytes; a ring that sums the whole table sends %d\n", all,
               2 * (world_size - 1) * WORDS * DEPTH * 4);
    free(gradient);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
