/* Works in a tensor of two megabytes, for which the library asks the system; sorts, and prints the time. */
#include "dist.h"

#include <stdlib.h>
#include <time.h>

static int by_size(const void *left, const void *right)
{
    const int *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* C's library may want to know where the clocks go by, and how much memory there is. */
static void print_the_time(int rank)
{
    char text[80];
    time_t now = time(NULL);
    struct tm some = { .tm_sec = (int)(now % 60), .tm_year = 126, .tm_mday = 1 };
    int *numbers = malloc(100000 * sizeof *numbers);
    for (int i = 0; numbers && i < 100000; i++)
        numbers[i] = i * 7919 % 100003;
    if (numbers && strftime(text, sizeof text, "%c %Z", &some) > 0) {
        qsort(numbers, 100000, sizeof *numbers, by_size);
        printf("rank %d: %s, %d\n", rank, text, numbers[0]);
    }
    free(numbers);
}

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    int next = (rank + 1) % world_size, previous = (rank + world_size - 1) % world_size;
    int64_t count = tensor_numel(traveller);
    if (world_size == 1)
        return;
    tensor *large = tensor_zeros(tensor_type(traveller), 1 << 19), *work = tensor_slice(large, 0, count);
    tensor_copy(work, traveller);
    print_the_time(rank);
    if (rank == 0)
        dist_send(work, next);
    dist_recv(work, previous);
    if (rank != 0) {
        tensor_mul_scalar(work, 2);
        tensor_add(work, mine);
        dist_send(work, next);
    }
    tensor_copy(traveller, work);
    tensor_free(work);
    tensor_free(large);
}
