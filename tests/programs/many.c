/* many.c: very many operations open at once: many KIND COUNT. Each kind ends with the right data, or says what is wrong. */
#define _GNU_SOURCE
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *kind;
static int count;

static void expect(int32_t is, int32_t must, const char *what)
{
    if (is == must)
        return;
    fprintf(stderr, "%s: %s is %d and must be %d\n", kind, what, is, must);
    exit(1);
}

static bool is(const char *word)
{
    return strcmp(kind, word) == 0;
}

/* Rank 0 sends to all others in turn, all tags different or all the same; they receive in this order, or the other way round. */
static void messages(int rank, int size, bool tags, bool reverse, bool any)
{
    int peers = size - 1, each = count / peers;
    int mine = rank == 0 ? each * peers : each;
    tensor *all = tensor_zeros(DIST_I32, mine);
    int32_t *value = tensor_data(all);
    dist_work **works = malloc((size_t)mine * sizeof *works);
    tensor **parts = malloc((size_t)mine * sizeof *parts);
    for (int i = 0; i < mine; i++) {
        int k = rank != 0 && reverse ? mine - 1 - i : i;
        parts[k] = tensor_slice(all, k, k + 1);
        int number = rank == 0 ? k / peers : k;
        if (rank == 0)
            value[k] = number;
        works[k] = rank == 0 ? dist_isend(parts[k], 1 + k % peers, .tag = tags ? number : 3)
                             : dist_irecv(parts[k], any ? DIST_ANY_SOURCE : 0, .tag = tags ? number : 3);
    }
    dist_wait_all(works, mine);
    for (int k = 0; rank != 0 && k < mine; k++)
        expect(value[k], k, "a message");
    for (int k = 0; k < mine; k++)
        tensor_free(parts[k]);
    free(parts);
    free(works);
    tensor_free(all);
}

static dist_work *start(int which, tensor *small, tensor *big, dist_group *group)
{
    switch (which % 8) {
    case 0:
        return dist_all_reduce(small, .op = DIST_MAX, .group = group, .async_op = true);
    case 1:
        return dist_broadcast(small, 0, .group = group, .async_op = true);
    case 2:
        return dist_reduce(small, 0, .op = DIST_MAX, .group = group, .async_op = true);
    case 3:
        return dist_barrier(.group = group, .async_op = true);
    case 4:
        return dist_all_gather(big, small, .group = group, .async_op = true);
    case 5:
        return dist_reduce_scatter(small, big, .op = DIST_MAX, .group = group, .async_op = true);
    case 6:
        return dist_gather(small, dist_get_rank() == 0 ? big : NULL, 0, .group = group, .async_op = true);
    default:
        return dist_scatter(small, dist_get_rank() == 0 ? big : NULL, 0, .group = group, .async_op = true);
    }
}

/* One kind, or all in turn; in the world, or in it and a group in turn. */
static void collectives(int size, bool all, bool groups)
{
    int ranks[64];
    for (int i = 0; i < size; i++)
        ranks[i] = i;
    dist_group *group = groups ? dist_new_group(ranks, size) : NULL;
    tensor *small[2] = { tensor_full(DIST_I32, 7, 1), tensor_full(DIST_I32, 7, 1) };
    tensor *big[2] = { tensor_full(DIST_I32, 7, size), tensor_full(DIST_I32, 7, size) };
    dist_work **works = malloc((size_t)count * sizeof *works);
    for (int i = 0; i < count; i++) {
        int in_group = groups && i % 2;
        works[i] = start(all ? i / 2 : 0, small[in_group], big[in_group], in_group ? group : NULL);
    }
    dist_wait_all(works, count);
    for (int i = 0; i < 2; i++) {
        expect((int32_t)tensor_item(small[i], 0), 7, "a collective");
        tensor_free(small[i]);
        tensor_free(big[i]);
    }
    free(works);
    dist_group_free(group);
}

static void batch(int rank, int size)
{
    int32_t *value;
    tensor *out = tensor_full(DIST_I32, rank, 1), *in = tensor_zeros(DIST_I32, count / 2 + 1);
    dist_p2p_op *ops = malloc((size_t)count * sizeof *ops);
    dist_work **works = malloc((size_t)count * sizeof *works);
    tensor **parts = malloc((size_t)count * sizeof *parts);
    for (int i = 0; i < count / 2; i++) {
        parts[i] = tensor_slice(in, i, i + 1);
        ops[2 * i] = (dist_p2p_op){ DIST_ISEND, out, (rank + 1) % size, i, NULL };
        ops[2 * i + 1] = (dist_p2p_op){ DIST_IRECV, parts[i], (rank + size - 1) % size, i, NULL };
    }
    dist_batch_isend_irecv(ops, count / 2 * 2, works);
    dist_wait_all(works, count / 2 * 2);
    value = tensor_data(in);
    for (int i = 0; i < count / 2; i++) {
        expect(value[i], (rank + size - 1) % size, "a message of a batch");
        tensor_free(parts[i]);
    }
    tensor_free(in);
    tensor_free(out);
    free(parts);
    free(works);
    free(ops);
}

/* To itself, the receives in the other order; nobody else is needed, so all that it takes is its own processor time. */
static void alone(int rank, bool reverse)
{
    tensor *out = tensor_arange(DIST_I32, 0, count), *in = tensor_zeros(DIST_I32, count);
    tensor **parts = malloc(2 * (size_t)count * sizeof *parts);
    dist_work **works = malloc(2 * (size_t)count * sizeof *works);
    for (int i = 0; i < 2 * count; i++) {
        int k = reverse && i >= count ? 2 * count - 1 - i : i % count;
        parts[i] = tensor_slice(i < count ? out : in, k, k + 1);
        works[i] = i < count ? dist_isend(parts[i], rank, .tag = k) : dist_irecv(parts[i], rank, .tag = k);
    }
    for (int i = 0; i < 2 * count; i++) /* those that ended first are waited for last */
        dist_wait(works[2 * count - 1 - i]);
    dist_synchronize();
    tensor_sub(out, in);
    expect((int32_t)tensor_sum(out), 0, "what messages to itself differ by");
    for (int i = 0; i < 2 * count; i++)
        tensor_free(parts[i]);
    tensor_free(out);
    tensor_free(in);
    free(parts);
    free(works);
}

/* Each on a tensor of its own. */
static void reductions(void)
{
    tensor **each = malloc((size_t)count * sizeof *each);
    dist_work **works = malloc((size_t)count * sizeof *works);
    for (int i = 0; i < count; i++) {
        each[i] = tensor_full(DIST_I32, 7, 1);
        works[i] = dist_all_reduce(each[i], .async_op = true);
    }
    dist_wait_all(works, count);
    dist_synchronize();
    expect((int32_t)tensor_item(each[count - 1], 0), 7 * dist_get_world_size(), "an all_reduce");
    for (int i = 0; i < count; i++)
        tensor_free(each[i]);
    free(each);
    free(works);
}

static void run(int rank, int size)
{
    dist_init_process_group();
    double begin = dist_time();
    if (is("same") || is("tags") || is("reverse") || is("any"))
        messages(rank, size, !is("same"), is("reverse"), is("any"));
    else if (is("collectives") || is("kinds") || is("groups"))
        collectives(size, !is("collectives"), is("groups"));
    else if (is("batch"))
        batch(rank, size);
    else if (is("alone") || is("reversed"))
        alone(rank, is("reversed"));
    else if (is("reductions"))
        reductions();
    dist_barrier();
    if (rank == 0)
        printf("%.3f s, %.3f s of the processor\n", dist_time() - begin, (double)clock() / CLOCKS_PER_SEC);
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    kind = argc > 1 ? argv[1] : "same";
    count = argc > 2 ? atoi(argv[2]) : 1000;
    return dist_spawn(run, is("alone") || is("reversed") || is("reductions") ? 1 : 2);
}
