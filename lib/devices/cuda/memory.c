/*
 * memory.c: device memory. cudaMalloc is slow and may stop every stream: so it gives large pieces, which the pool cuts up,
 * and which stay ours.
 */
#define _GNU_SOURCE
#include "cuda.h"

#include <stdlib.h>
#include <time.h>

#define PIECE ((size_t)32 << 20) /* the least that is asked of CUDA at a time */
#define ROUND ((size_t)2 << 20)  /* larger requests are rounded up to this */
#define STAGING ((size_t)1 << 16)
#define MOST_NAPS 1000 /* of a millisecond, until other ranks' streams are through */

/* ---- what was freed ------------------------------------------------------------------------ */

/* Give back what no stream uses any more. */
static void memory_reclaim(struct cuda *rank)
{
    for (int i = 0; rank->retired.first && i < GPU_STREAMS; i++)
        if (rank->streams[i])
            stream_look(rank->streams[i]);
    for (void *memory; (memory = retired_take(&rank->retired, rank->streams));)
        pool_give(&rank->pool, memory);
}

void memory_retire(struct cuda *rank, void *memory)
{
    for (int i = 0; i < GPU_STREAMS; i++)
        if (rank->streams[i])
            stream_foreign(rank->streams[i]);
    retired_add(&rank->retired, rank->streams, memory);
    memory_reclaim(rank);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* cudaFree knows whose it is. Meanwhile another rank may go. */
static void memory_drop(void *piece)
{
    streams_unlock();
    cudaFree(piece);
    streams_lock();
}

/* What this rank has freed comes free once the streams are there. */
static void memory_wait_for_streams(struct cuda *rank)
{
    for (int turn = 0; turn < 2;
         turn++) { /* reclaim() marks the streams' ends; and sees that they have passed */
        for (int i = 0; i < GPU_STREAMS; i++)
            if (rank->streams[i]) {
                streams_unlock();
                cudaStreamSynchronize(rank->streams[i]->cuda);
                streams_lock();
            }
        memory_reclaim(rank);
    }
}

static bool memory_add_piece(struct cuda *rank, size_t bytes)
{
    void *piece;
    if (bytes > SIZE_MAX - ROUND)
        return false;
    bytes = bytes < PIECE / 2 ? PIECE : (bytes + ROUND - 1) / ROUND * ROUND;
    streams_unlock();
    cuda_use_gpu(rank->gpu);
    cudaError_t error = cudaMalloc(&piece, bytes);
    streams_lock();
    if (!cuda_gave(rank->gpu, error))
        return false;
    if (pool_add(&rank->pool, piece, bytes))
        return true;
    memory_drop(piece);
    return false;
}

static bool memory_waits_for_streams(const struct cuda *rank)
{
    bool works = false;
    for (int i = 0; i < GPU_STREAMS; i++)
        works |= rank->streams[i] && rank->streams[i]->done < rank->streams[i]->given;
    return rank->retired.first && works;
}

/* Of all ranks that share this GPU, one that has something to give back does so. `later`: one will have, once its streams are there.
 * Whoever is on the list may leave it whenever the lock is let go. */
static bool memory_give_back(const struct cuda_gpu *gpu, bool *later)
{
    *later = false;
    for (struct cuda *rank = cuda_all.ranks; rank; rank = rank->next) {
        if (rank->gpu != gpu)
            continue;
        memory_reclaim(rank);
        void *unused = pool_drop(&rank->pool);
        if (unused) {
            memory_drop(unused);
            return true;
        }
        *later |= memory_waits_for_streams(rank);
    }
    return false;
}

/* For other ranks' streams it waits a while only: they may wait for us. */
static void memory_make_room(const struct cuda_gpu *gpu)
{
    bool later = true;
    for (int naps = 0; naps < MOST_NAPS && (memory_give_back(gpu, &later) || later); naps += later) {
        streams_unlock();
        if (later)
            nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        streams_lock();
    }
}

/* Where the GPU is full: wait until what was freed can be used again; then let the others give back what they have too much. */
void *memory_take(struct cuda *rank, size_t bytes)
{
    memory_reclaim(rank);
    void *memory = pool_take(&rank->pool, bytes);
    if (memory)
        return memory;
    cuda_use_gpu(rank->gpu);
    if (!memory_add_piece(rank, bytes)) {
        memory_wait_for_streams(rank);
        if ((memory = pool_take(&rank->pool, bytes)))
            return memory;
        memory_make_room(rank->gpu);
        if (!memory_add_piece(rank, bytes))
            return NULL;
    }
    return pool_take(&rank->pool, bytes);
}

void memory_end(struct cuda *rank)
{
    cuda_use_gpu(rank->gpu);
    memory_reclaim(rank); /* without streams all is past */
    pool_end(&rank->pool, memory_drop);
    streams_unlock();
    cudaFreeHost(rank->staging);
    streams_lock();
}

/* ---- the device's calls ------------------------------------------------------------------------ */

void *cuda_alloc(void *state, size_t bytes)
{
    streams_lock();
    void *memory = memory_take(state, bytes);
    streams_unlock();
    return memory;
}

void cuda_free(void *state, void *memory)
{
    streams_lock();
    memory_retire(state, memory);
    streams_unlock();
}

/* Nobody copies to or from the old one any more: whoever asked for it has waited for its copies. Only the rank's own thread asks,
 * so it needs no lock. */
void *cuda_staging(void *state, size_t bytes)
{
    struct cuda *rank = state;
    if (bytes > rank->staging_bytes) {
        cuda_use_gpu(rank->gpu);
        cudaFreeHost(rank->staging);
        rank->staging_bytes = bytes < STAGING ? STAGING : bytes;
        cudaError_t error = cudaHostAlloc(&rank->staging, rank->staging_bytes, cudaHostAllocPortable);
        streams_lock();
        if (!cuda_gave(rank->gpu, error)) {
            rank->staging = NULL;
            rank->staging_bytes = 0;
        }
        streams_unlock();
    }
    return rank->staging;
}
