/*
 * long_blocks.c [ELEMENTS]: each collective with blocks of so many bytes, of which all are looked at. An engine takes long ones in pieces:
 * without ELEMENTS five more than the largest that MPI is given at once (backends/mpi/plugin.c). Exit status 1: something was wrong.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "tensor.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LONG_BLOCK ((1 << 24) + 5)

static int rank, size, root, wrong;
static int64_t block;

/* What rank r puts at place i; the sum of eight of them is still a byte. */
static unsigned byte_of(int r, int64_t i)
{
    return (unsigned)((i * 7 + i / 4099 + r * 11) % 29);
}

static unsigned sum_of(int64_t i)
{
    unsigned sum = 0;
    for (int r = 0; r < size; r++)
        sum += byte_of(r, i);
    return sum;
}

static tensor *filled(int64_t count)
{
    tensor *x = tensor_zeros(DIST_U8, count);
    unsigned char *bytes = tensor_data(x);
    for (int64_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)byte_of(rank, i);
    return x;
}

/* `x` is of `blocks` blocks, as rank r has it at place `from` on of its own, or all have as sums (r < 0). Block b: of rank b (each). */
static void look(const char *call, tensor *x, bool each, int r, int64_t from)
{
    const unsigned char *bytes = tensor_data(x);
    for (int64_t i = 0; i < tensor_numel(x); i++) {
        int64_t place = each ? i % block : from + i;
        unsigned right = each ? byte_of((int)(i / block), place) : r < 0 ? sum_of(place) : byte_of(r, place);
        if (bytes[i] != right && wrong++ < 3)
            fprintf(stderr, "rank %d: %s: element %lld is %d, and must be %u\n", rank, call, (long long)i,
                    bytes[i], right);
    }
    tensor_free(x);
}

static void one_for_all(void)
{
    tensor *x = filled(block);
    dist_broadcast(x, root);
    look("broadcast", x, false, root, 0);
    x = filled(block);
    dist_all_reduce(x);
    look("all_reduce", x, false, -1, 0);
    x = filled(block);
    dist_reduce(x, root);
    if (rank == root)
        look("reduce", x, false, -1, 0);
    else
        tensor_free(x);
}

static void one_for_each(void)
{
    tensor *mine = filled(block), *all = tensor_zeros(DIST_U8, size * block);
    dist_all_gather(all, mine);
    look("all_gather", all, true, 0, 0);
    all = rank == root ? tensor_zeros(DIST_U8, size * block) : NULL;
    dist_gather(mine, all, root);
    if (all)
        look("gather", all, true, 0, 0);
    all = rank == root ? filled(size * block) : NULL;
    dist_scatter(mine, all, root);
    look("scatter", mine, false, root, rank * block);
    tensor_free(all);
    all = filled(size * block);
    mine = tensor_zeros(DIST_U8, block);
    dist_reduce_scatter(mine, all);
    look("reduce_scatter", mine, false, -1, rank * block);
    tensor_free(all);
}

/* While one of many pieces is under way short ones of its group begin, on each rank at another time. */
static void others_meanwhile(void)
{
    enum { SHORT = 20, ROUNDS = 3 };
    for (int round = 0; round < ROUNDS; round++) {
        tensor *x[SHORT];
        dist_work *works[SHORT], *work;
        tensor *all = filled(6 * block);
        dist_barrier();
        work = dist_broadcast(all, root, .async_op = true);
        for (int i = 0; i < SHORT; i++) {
            usleep(3000 * (unsigned)((i + rank) % 3));
            x[i] = filled(20000);
            works[i] = dist_broadcast(x[i], i % size, .async_op = true);
        }
        dist_wait_all(works, SHORT);
        dist_wait(work);
        for (int i = 0; i < SHORT; i++)
            look("a broadcast meanwhile", x[i], false, i % size, 0);
        look("broadcast", all, false, root, 0);
    }
}

int main(int count, char **words)
{
    dist_init_process_group();
    rank = dist_get_rank();
    size = dist_get_world_size();
    root = size - 1;
    block = count > 1 ? atoll(words[1]) : LONG_BLOCK;
    one_for_all();
    one_for_each();
    others_meanwhile();
    if (rank == 0)
        printf("looked at all\n");
    dist_destroy_process_group();
    return wrong > 0;
}
