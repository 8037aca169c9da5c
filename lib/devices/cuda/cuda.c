/* cuda.c: which GPU is a rank's, and what to say where it cannot be had. */
#define _GNU_SOURCE
#include "cuda.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

struct cuda_all cuda_all = { .lock = PTHREAD_MUTEX_INITIALIZER };

void cuda_lock(void)
{
    pthread_mutex_lock(&cuda_all.lock);
}

void cuda_unlock(void)
{
    pthread_mutex_unlock(&cuda_all.lock);
}

void card_use(const struct card *card)
{
    cudaSetDevice(card->number);
}

void cuda_use(struct stream *stream)
{
    card_use(stream->rank->card);
}

/* ---- what failed ---------------------------------------------------------------------------- */

int cuda_refuse(const struct card *card, const char *what, cudaError_t error)
{
    if (error == cudaErrorMemoryAllocation)
        return device_fail(DIST_ERR_MEMORY, "the memory of GPU %d (%s) is full", card->number, card->name);
    return device_fail(DIST_ERR_SYSTEM, "GPU %d (%s): %s: %s (CUDA error %d)", card->number, card->name, what,
                       cudaGetErrorString(error), (int)error);
}

struct cuda *cuda_of_caller(void)
{
    const struct launch_self *self = launch_self_if_any();
    struct cuda *rank = cuda_all.ranks;
    while (rank && rank->self != self)
        rank = rank->next;
    return rank;
}

/* Told in the name of whoever found it; which rank's work it was, nobody knows. */
void cuda_break(struct card *card, cudaError_t error)
{
    struct cuda *rank = cuda_of_caller();
    if (card->broken)
        return;
    card->broken = true;
    int status = cuda_refuse(card, "earlier work failed", error);
    rank = rank ? rank : cuda_all.ranks;
    if (rank)
        world_fail_because(&rank->self->world, rank->self->env.rank, status, device_why());
}

/* Why are there no GPUs here? */
static int no_cards(cudaError_t error)
{
    int driver = 0;
    char text[160];
    enum gpu_found found = device_gpu_found("");
    bool no_driver =
        error == cudaErrorInsufficientDriver && (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0);
    if (no_driver)
        return device_fail_without_gpu(found == GPU_FOUND ? GPU_NO_DRIVER : found, NULL);
    if (error == cudaErrorInsufficientDriver)
        snprintf(
            text, sizeof text,
            "the NVIDIA driver here is made for CUDA %d.%d, and this library for %d.%d; update the driver",
            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    else if (error == cudaErrorNoDevice || error == cudaSuccess)
        snprintf(text, sizeof text,
                 "the NVIDIA driver shows no GPU; look at nvidia-smi and at CUDA_VISIBLE_DEVICES");
    else
        return device_fail(DIST_ERR_SYSTEM, "%s, but CUDA could not be started: %s (CUDA error %d)",
                           launch_gpu_wish(), cudaGetErrorString(error), (int)error);
    return device_fail_without_gpu(GPU_FOUND, text);
}

/* ---- GPUs --------------------------------------------------------------------------------- */

/* A GPU reaches another's memory once it was told to. Where it cannot, CUDA copies by way of the host. */
static void connect(struct card *card, struct card *other)
{
    int can = 0;
    card_use(card);
    if (cudaDeviceCanAccessPeer(&can, card->number, other->number) == cudaSuccess && can) {
        cudaError_t error = cudaDeviceEnablePeerAccess(other->number, 0);
        card->reaches[other->number] = error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
    }
    cudaGetLastError();
}

static cudaError_t open_card(struct card *card)
{
    struct cudaDeviceProp properties;
    cudaError_t error = cudaSetDevice(card->number);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, card->number);
    if (error != cudaSuccess || card->open)
        return error;
    snprintf(card->name, sizeof card->name, "%.60s", properties.name);
    card->multiprocessors = properties.multiProcessorCount;
    if ((error = kernels_fit()) != cudaSuccess)
        return error;
    card->open = card->reaches[card->number] = true;
    for (int i = 0; i < cuda_all.card_count; i++)
        if (cuda_all.cards[i].open && i != card->number) {
            connect(card, &cuda_all.cards[i]);
            connect(&cuda_all.cards[i], card);
        }
    return cudaSetDevice(card->number);
}

/* Ranks go round the GPUs of their machine. */
static int find_card(const struct launch_self *self, struct card **card)
{
    const struct launch_env *env = &self->env;
    if (cuda_all.card_count == 0) {
        int count = 0;
        cudaError_t error = cudaGetDeviceCount(&count);
        if (error != cudaSuccess || count == 0)
            return no_cards(error);
        cuda_all.card_count = count < CARDS ? count : CARDS;
        for (int i = 0; i < cuda_all.card_count; i++)
            cuda_all.cards[i].number = i;
    }
    int place = env->local_rank >= 0 ? env->local_rank : env->rank;
    *card = &cuda_all.cards[place % cuda_all.card_count];
    return DIST_OK;
}

/* ---- a rank's device ------------------------------------------------------------------------- */

static int start(struct cuda *rank, struct launch_self *self)
{
    int status = find_card(self, &rank->card);
    if (status != DIST_OK)
        return status;
    cudaError_t error = open_card(rank->card);
    if (error == cudaSuccess)
        error = cudaStreamCreateWithFlags(&rank->waker, cudaStreamNonBlocking);
    if (error == cudaErrorNoKernelImageForDevice)
        return device_fail(
            DIST_ERR_ENVIRONMENT,
            "GPU %d (%s) is none of those that this library was built for; run make clean, and make "
            "again on this machine",
            rank->card->number, rank->card->name);
    return error == cudaSuccess ? DIST_OK : cuda_refuse(rank->card, "it cannot be used", error);
}

static int cuda_open(struct launch_self *self, void **state)
{
    struct cuda *rank = calloc(1, sizeof *rank);
    if (!rank)
        return device_fail(DIST_ERR_MEMORY, "the system gives no memory for the state of a GPU");
    rank->self = self;
    rank->slot = &self->world.header->slots[self->env.rank];
    rank->retired_end = &rank->retired;
    cuda_lock();
    int status = start(rank, self);
    if (status == DIST_OK) {
        rank->next = cuda_all.ranks;
        cuda_all.ranks = rank;
    } else {
        free(rank);
    }
    cuda_unlock();
    *state = rank;
    return status;
}

static void cuda_close(void *state)
{
    struct cuda *rank = state, **at = &cuda_all.ranks;
    for (int i = 0; i < CUDA_STREAMS; i++)
        if (rank->streams[i])
            cuda_stream_free(rank->streams[i]);
    cuda_lock();
    while (*at != rank)
        at = &(*at)->next;
    *at = rank->next;
    cuda_unlock();
    card_use(rank->card);
    cudaStreamSynchronize(rank->waker); /* its rings still go to this rank */
    cudaStreamDestroy(rank->waker);
    cuda_lock();
    memory_end(rank);
    cuda_unlock();
    free(rank);
}

bool cuda_reaches(void *state, void *other)
{
    return ((struct cuda *)state)->card->reaches[((struct cuda *)other)->card->number];
}

const struct device device_cuda = {
    .name = "cuda",
    .open = cuda_open,
    .close = cuda_close,
    .alloc = cuda_alloc,
    .free = cuda_free,
    .staging = cuda_staging,
    .stream_new = cuda_stream_new,
    .stream_free = cuda_stream_free,
    .stream_passed = cuda_stream_passed,
    .launch = cuda_launch,
    .copy = cuda_copy,
    .event_new = cuda_event_new,
    .event_free = cuda_event_free,
    .event_record = cuda_event_record,
    .event_follow = cuda_event_follow,
    .event_passed = cuda_event_passed,
    .event_sure = cuda_event_sure,
    .event_elapsed = cuda_event_elapsed,
    .gate_new = cuda_gate_new,
    .gate_free = cuda_gate_free,
    .gate_hold = cuda_gate_hold,
    .gate_open_behind = cuda_gate_open_behind,
    .gate_open = cuda_gate_open,
    .gate_is_open = cuda_gate_is_open,
    .reaches = cuda_reaches,
    .stream_held = cuda_stream_held,
    .range_begin = cuda_range_begin,
    .range_end = cuda_range_end,
    .stream_native = cuda_stream_native,
};
