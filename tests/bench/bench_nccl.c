/*
 * bench_nccl.c: what dist_all_gather costs more than the ncclAllGather that it is made of. bench_gpu.sh runs it, with
 * BACKEND=nccl DEVICE=cuda: one rank, one process, one stream, two communicators. In each turn NCCL called directly and our
 * call are neighbours in time, and take turns at being first. Times are the GPU's own, between two events.
 *
 * Each line: how the backend works, bytes, microseconds of ours, of NCCL, and the median of the turns' ratios.
 *
 * Gathered: for that even a single rank has something to do, which reads and writes each byte. A sum in place is over at once with
 * one rank: NCCL gives the GPU nothing to do, and there is nothing to compare with.
 */
#define _GNU_SOURCE
#include "timing.h"
#include "../../lib/backends/nccl/library.h"
#include "../../lib/streams/gpu.h"

#include <stdbool.h>

#define MIB (1 << 20)
#define TURNS 21

static const struct {
    int bytes, calls; /* calls: in a turn */
} rows[] = { { 8, 200 }, { MIB, 100 }, { 256 * MIB, 4 } };

/* NCCL, called directly. */
static const struct nccl_calls *nccl;
static ncclComm_t comm;

static const char *mode;

static void need(ncclResult_t result, const char *what)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s: NCCL says \"%s\" (NCCL_DEBUG=WARN tells more)\n", what,
            nccl->get_error_string(result));
    exit(EXIT_FAILURE);
}

/* As a program without our library would: the calls block until NCCL has put its work into the stream. */
static void open_directly(void)
{
    struct why why;
    ncclUniqueId id;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    nccl = nccl_library(&why);
    if (!nccl) {
        fprintf(stderr, "%s\n", why.text);
        exit(EXIT_FAILURE);
    }
    need(nccl->get_unique_id(&id), "ncclGetUniqueId");
    need(nccl->comm_init_rank_config(&comm, 1, id, 0, &config), "ncclCommInitRankConfig");
}

static tensor *gathered;

static void call_directly(tensor *t, int calls)
{
    cudaStream_t stream = nccl->stream_of(t->gpu->current->stream);
    for (int i = 0; i < calls; i++)
        need(nccl->all_gather(t->data, gathered->data, (size_t)t->numel, ncclFloat32, comm, stream),
             "ncclAllGather");
}

static void call_ours(tensor *t, int calls)
{
    for (int i = 0; i < calls; i++)
        dist_all_gather(gathered, t);
}

/* Microseconds a call. */
static double time_of(void (*call)(tensor *t, int calls), tensor *t, int calls)
{
    dist_synchronize();
    dist_event *begin = dist_event_record();
    call(t, calls);
    dist_event *end = dist_event_record();
    dist_synchronize();
    double time = dist_event_elapsed(begin, end) * 1e6 / calls;
    dist_event_free(begin);
    dist_event_free(end);
    return time;
}

static void measure(int bytes, int calls)
{
    double ours[TURNS], direct[TURNS], ratios[TURNS];
    tensor *t = tensor_zeros(DIST_F32, bytes / (int)sizeof(float));
    gathered = tensor_zeros(DIST_F32, tensor_numel(t));
    time_of(call_directly, t, calls); /* the first calls load kernels */
    time_of(call_ours, t, calls);
    for (int turn = 0; turn < TURNS; turn++) {
        if (turn % 2 == 0)
            direct[turn] = time_of(call_directly, t, calls);
        ours[turn] = time_of(call_ours, t, calls);
        if (turn % 2 == 1)
            direct[turn] = time_of(call_directly, t, calls);
        ratios[turn] = ours[turn] / direct[turn];
    }
    printf("%s|%d|%.2f|%.2f|%.4f\n", mode, bytes, median(ours, TURNS), median(direct, TURNS),
           median(ratios, TURNS));
    tensor_free(gathered);
    tensor_free(t);
}

static void run(int rank, int size)
{
    (void)rank, (void)size;
    dist_init_process_group();
    open_directly();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        measure(rows[i].bytes, rows[i].calls);
    need(nccl->comm_destroy(comm), "ncclCommDestroy");
    dist_destroy_process_group();
}

/* Both ways in which the backend works: ops are agreed on first, or handed to NCCL as they come. */
int main(void)
{
    setenv("DIST_NCCL_PLAIN", "0", 1);
    mode = "agreed first";
    int status = dist_spawn(run, 1);
    if (status != 0)
        return status;
    setenv("DIST_NCCL_PLAIN", "1", 1);
    mode = "plain";
    return dist_spawn(run, 1);
}
