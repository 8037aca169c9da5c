/*
 * differ.c: the last rank calls something else than the others, or the same, but late; each rank says what it hears of that.
 *
 * differ CALL OTHER [last|first]     which rank comes late. OTHER: nothing: the last one leaves, and the first does not wait for its call
 */
#define _GNU_SOURCE
#include "dist.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 4 };
static const char *call, *other;
static int late = -1; /* which rank */

static void say(const struct dist_report *report, void *context)
{
    (void)context;
    printf("%d %s\n", (int)report->error, report->sentence);
    fflush(stdout);
}

static void make(const char *name, int rank, int size)
{
    if (strcmp(name, "places") == 0)
        dist_set_device(rank == 0 ? DIST_HOST : DIST_GPU);
    tensor *x = tensor_full(DIST_F32, rank, 12), *y = tensor_zeros(DIST_F32, 12);
    int64_t splits[RANKS] = { 6, 3, 2, 1 };
    int from_each[RANKS] = { 6, 3, 2, 1 };
    tensor *mine = tensor_zeros(DIST_F32, from_each[rank] * size);
    int64_t expects[RANKS] = { from_each[rank], from_each[rank], from_each[rank], from_each[rank] };
    if (strcmp(name, "barrier") == 0)
        dist_barrier(.async_op = rank == 0 && strcmp(other, "nothing") == 0);
    else if (strcmp(name, "monitored_barrier") == 0)
        dist_monitored_barrier(.timeout = late < 0 ? 20 : 0.2);
    else if (strcmp(name, "all_reduce") == 0 || strcmp(name, "places") == 0)
        dist_all_reduce(x);
    else if (strcmp(name, "broadcast") == 0)
        dist_broadcast(x, 0);
    else if (strcmp(name, "all_to_all") == 0)
        dist_all_to_all(y, x);
    else if (strcmp(name, "splits") == 0)
        dist_all_to_all(mine, x, .input_splits = splits, .output_splits = expects);
    if (strcmp(name, "places") == 0)
        printf("the sum is %g\n", tensor_item(x, 0));
    tensor_free(mine);
    tensor_free(y);
    tensor_free(x);
}

static void run(int rank, int size)
{
    dist_init_process_group();
    dist_set_error_handler(say, NULL);
    if (rank == late)
        usleep(700000);
    make(rank == size - 1 ? other : call, rank, size);
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    if (count < 3)
        return 2;
    call = words[1];
    other = words[2];
    late = count < 4 ? -1 : strcmp(words[3], "first") == 0 ? 0 : RANKS - 1;
    return dist_spawn(run, RANKS);
}
