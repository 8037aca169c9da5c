/*
 * bench_gpu.c: calls on tensors of a GPU, four ranks that share one, beside what the GPU can do: bench_gpu.sh runs it. Times
 * are the GPU's own, between two events; medians. Each line: what, bytes, microseconds, the limit, what the limit is.
 *
 *     bench_gpu             all of it
 *     bench_gpu collectives collectives of at most 64 MiB, a few times each: for what is much slower
 */
#define _GNU_SOURCE
#include "timing.h"
#include "dist.h"

#include <cuda_runtime_api.h>
#include <string.h>

#define MIB (1 << 20)
#define TURNS 11

static double copy_time[2]; /* microseconds to copy 64 and 256 MiB from the GPU's memory to its memory */
static double launch_time;  /* and of a copy of 8 bytes, which is one launch */

/* Plain CUDA, without the library. */
static double plain_copy(size_t bytes, int calls)
{
    void *from, *to;
    cudaEvent_t begin, end;
    double times[TURNS];
    cudaMalloc(&from, bytes);
    cudaMalloc(&to, bytes);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int turn = 0; turn < TURNS; turn++) {
        float milliseconds = 0;
        cudaEventRecord(begin, 0);
        for (int i = 0; i < calls; i++)
            cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, 0);
        cudaEventRecord(end, 0);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&milliseconds, begin, end);
        times[turn] = (double)milliseconds * 1e3 / calls;
    }
    cudaFree(from);
    cudaFree(to);
    return median(times, TURNS);
}

struct row {
    const char *name;
    void (*call)(tensor *large, tensor *small, int rank, int size);
    int bytes;
    double copies; /* the limit, in copies of as many bytes */
    int calls;     /* in a turn */
};

static bool few; /* only collectives, a few times each */

static void message(tensor *large, tensor *small, int rank, int size)
{
    (void)small, (void)size;
    if (rank == 0)
        dist_send(large, 1);
    else if (rank == 1)
        dist_recv(large, 0);
}

static void ping_pong(tensor *large, tensor *small, int rank, int size)
{
    (void)small, (void)size;
    if (rank == 0) {
        dist_send(large, 1);
        dist_recv(large, 1);
    } else if (rank == 1) {
        dist_recv(large, 0);
        dist_send(large, 0);
    }
}

static void all_reduce(tensor *large, tensor *small, int rank, int size)
{
    (void)small, (void)rank, (void)size;
    dist_all_reduce(large);
}

static void broadcast(tensor *large, tensor *small, int rank, int size)
{
    (void)small, (void)rank, (void)size;
    dist_broadcast(large, 0);
}

static void all_gather(tensor *large, tensor *small, int rank, int size)
{
    (void)rank, (void)size;
    dist_all_gather(large, small);
}

static void reduce_scatter(tensor *large, tensor *small, int rank, int size)
{
    (void)rank, (void)size;
    dist_reduce_scatter(small, large);
}

/* Bytes read and written in all, by those of a copy: a sum by four reads four and writes four; a broadcast reads one and
 * writes three; a gather reads four quarters and writes four times four of them; and so on. */
static const struct row rows[] = {
    { "send/recv", message, 256 * MIB, 1, 3 },      { "send/recv one way", ping_pong, 8, 0, 200 },
    { "all_reduce", all_reduce, 256 * MIB, 4, 3 },  { "all_reduce", all_reduce, 64 * MIB, 4, 5 },
    { "all_reduce", all_reduce, 8, 0, 100 },        { "broadcast", broadcast, 64 * MIB, 2, 5 },
    { "all_gather", all_gather, 64 * MIB, 2.5, 5 }, { "reduce_scatter", reduce_scatter, 64 * MIB, 2.5, 5 },
};

static double time_of(const struct row *row, tensor *large, tensor *small, int rank, int size)
{
    double times[TURNS];
    int turns = few ? 3 : TURNS, calls = !few ? row->calls : row->bytes < MIB ? 20 : 1;
    for (int turn = 0; turn < turns; turn++) {
        dist_barrier();
        dist_event *begin = dist_event_record();
        for (int i = 0; i < calls; i++)
            row->call(large, small, rank, size);
        dist_event *end = dist_event_record();
        dist_synchronize();
        times[turn] = dist_event_elapsed(begin, end) * 1e6 / calls / (row->call == ping_pong ? 2 : 1);
        dist_event_free(begin);
        dist_event_free(end);
    }
    return median(times, turns);
}

static bool is_wanted(const struct row *row)
{
    return !few || (row->call != message && row->call != ping_pong && row->bytes <= 64 * MIB);
}

static void tell_row(const struct row *row, double time)
{
    double copy = row->bytes == 64 * MIB ? copy_time[0] : copy_time[1];
    double limit = row->copies > 0 ? row->copies * copy : 2 * launch_time;
    printf("%s|%d|%.2f|%.2f|%s\n", row->name, row->bytes, time, limit,
           row->copies > 0 ? "its bytes, at the speed of cudaMemcpy" : "two launches");
}

static void run(int rank, int size)
{
    dist_init_process_group();
    if (rank == 0) {
        copy_time[0] = plain_copy(64 * MIB, 5);
        copy_time[1] = plain_copy(256 * MIB, 3);
        launch_time = plain_copy(8, 200);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_wanted(&rows[i]))
            continue;
        int64_t count = rows[i].bytes / (int)sizeof(float);
        tensor *large = tensor_zeros(DIST_F32, count), *small = tensor_zeros(DIST_F32, (count + 3) / size);
        double time = time_of(&rows[i], large, small, rank, size);
        if (rank == 0)
            tell_row(&rows[i], time);
        tensor_free(large);
        tensor_free(small);
    }
    dist_destroy_process_group();
}

int main(int count, char **words)
{
    few = count > 1 && strcmp(words[1], "collectives") == 0;
    return dist_spawn(run, 4);
}
