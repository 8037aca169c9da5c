/*
 * experts.c: an MLP for every rank, and each token goes to the one that a router chooses: there, through it, and back.
 *
 *     my tokens, sorted by expert              [ 0 0 0 0 | 1 1 | 2 2 2 2 2 | 3 ]     input_splits: 4, 2, 5, 1 rows
 *                     all_to_all                    |       |       |        |
 *     on rank 0: what all have for expert 0    [ from 0 | from 1 | from 3 ]          output_splits: rank 2 has none
 *
 * An expert takes only so many tokens of each rank: its capacity. The rest is dropped: such a token keeps the x that it had.
 *
 * Run it:  make run-11 PROG=experts N=4
 */
#include "experts.h"

/* What a rank sends and gets; blocks lie in the order of ranks. */
struct traffic {
    int64_t out[MOST_RANKS], in[MOST_RANKS];                   /* rows */
    int64_t out_elements[MOST_RANKS], in_elements[MOST_RANKS]; /* what splits count */
    int64_t sent, got;                                         /* rows in all */
};

/* The tokens sorted by expert, at most `capacity` for each: their numbers go into `order`. */
static void sort_by_expert(struct traffic *t, const int *expert, int n, int capacity, int *order)
{
    for (int e = 0; e < n; e++)
        for (int i = 0; i < TOKENS; i++)
            if (expert[i] == e && t->out[e] < capacity) {
                order[t->sent++] = i;
                t->out[e]++;
            }
}

/* How many rows will come? Everybody tells everybody one number. */
static void tell_counts(struct traffic *t, int n)
{
    tensor *leaving = tensor_from(DIST_I64, t->out, n), *coming = tensor_zeros(DIST_I64, n);
    dist_all_to_all(coming, leaving);
    tensor_read(coming, t->in);
    for (int i = 0; i < n; i++) {
        t->out_elements[i] = t->out[i] * WIDTH;
        t->in_elements[i] = t->in[i] * WIDTH;
        t->got += t->in[i];
    }
    tensor_free(coming);
    tensor_free(leaving);
}

/* Through the experts: what this rank's tokens get, in the order in which they left. *x: the rows that came here. */
static tensor *there_and_back(const struct traffic *t, tensor *sorted, int rank, tensor **x)
{
    *x = tensor_zeros(DIST_F32, t->got, WIDTH);
    tensor *back = tensor_zeros(DIST_F32, t->sent, WIDTH);
    dist_all_to_all(*x, sorted, .input_splits = t->out_elements, .output_splits = t->in_elements);
    tensor *y = expert_forward(*x, rank);
    dist_all_to_all(back, y, .input_splits = t->in_elements, .output_splits = t->out_elements);
    tensor_free(y);
    return back;
}

/* The way there as messages, between those only that have something to say. Returns how many this rank sent. */
static int by_messages(const struct traffic *t, const tensor *sorted, tensor *x, int rank, int n)
{
    dist_work *works[2 * MOST_RANKS];
    tensor *part[2 * MOST_RANKS];
    int64_t from = 0, to = 0;
    int count = 0, messages = 0;
    for (int i = 0; i < n; from += t->out[i], to += t->in[i], i++) {
        tensor *leaving = tensor_slice(sorted, from, from + t->out[i]),
               *coming = tensor_slice(x, to, to + t->in[i]);
        if (i == rank)
            tensor_copy(coming, leaving);
        messages += i != rank && t->out[i] > 0;
        part[2 * i] = leaving;
        part[2 * i + 1] = coming;
        if (i != rank && t->out[i] > 0)
            works[count++] = dist_isend(leaving, i);
        if (i != rank && t->in[i] > 0)
            works[count++] = dist_irecv(coming, i);
    }
    dist_wait_all(works, count);
    for (int i = 0; i < 2 * n; i++)
        tensor_free(part[i]);
    return messages;
}

static void tell(const struct traffic *t, int rank, int n, bool right, bool same)
{
    tensor *row = tensor_from(DIST_I64, t->out, n);
    tensor_print(row, "rank %d drops %d tokens, gets %d; %s; by messages %s; it sends to each", rank,
                 TOKENS - (int)t->sent, (int)t->got, right ? "right" : "WRONG", same ? "the same" : "OTHER");
    tensor_free(row);
}

static void run(int rank, int world_size)
{
    if (world_size > MOST_RANKS) {
        fprintf(stderr, "experts has room for %d ranks: make run-11 PROG=experts N=4\n", MOST_RANKS);
        exit(2);
    }
    dist_init_process_group();
    int n = world_size, expert[TOKENS], order[TOKENS],
        capacity = (5 * TOKENS + 4 * n - 1) / (4 * n); /* 1.25 times the mean */
    float share[TOKENS];
    struct traffic t = { .sent = 0 };
    tensor *router = by_chance(7, 1, WIDTH, n), *x = make_tokens(router, rank, n), *came;
    route(x, router, n, expert, share);
    sort_by_expert(&t, expert, n, capacity, order);
    tell_counts(&t, n);

    tensor *sorted = tensor_zeros(DIST_F32, t.sent, WIDTH);
    for (int i = 0; i < t.sent; i++) {
        tensor *to = rows_of(sorted, i, 1), *from = rows_of(x, order[i], 1);
        tensor_copy(to, from);
        tensor_free(from);
        tensor_free(to);
    }
    tensor *back = there_and_back(&t, sorted, rank, &came), *right = alone(x, expert, order, (int)t.sent);
    tensor *y = take_back(x, back, order, (int)t.sent, share),
           *y_right = take_back(x, right, order, (int)t.sent, share);
    tensor *again = tensor_zeros(DIST_F32, t.got, WIDTH);
    tensor *messages = tensor_full(DIST_I32, by_messages(&t, sorted, again, rank, n), 1);
    tell(&t, rank, n, tensor_equal(y, y_right), tensor_equal(again, came));
    dist_all_reduce(messages);
    if (rank == 0)
        printf("capacity %d tokens; of %d pairs of ranks %d have something to say\n", capacity, n * (n - 1),
               (int)tensor_item(messages, 0));
    tensor *gone[] = { messages, again, y_right, y, right, back, came, sorted, x, router };
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        tensor_free(gone[i]);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
