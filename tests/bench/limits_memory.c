/* limits_memory.c: what must be read and written at the least, by plain C. Built for this very processor. */
#define _GNU_SOURCE
#include "limits.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { BLOCK = 1024, PAGE = 4096, GROUP = 4 * PAGE };

typedef void copy(char *, const char *, size_t);

/* Past the caches, where the processor can: for what is larger than they are. Four pages at a time, which keeps more of the
 * memory busy than one after the other. */
static void stream(char *to, const char *from, size_t bytes)
{
    size_t done = 0;
#if defined(__SSE2__)
    for (; done + GROUP <= bytes; done += GROUP)
        for (size_t line = 0; line < PAGE; line += 64)
            for (size_t at = done + line; at < done + GROUP; at += PAGE)
                for (size_t i = at; i < at + 64; i += 16)
                    _mm_stream_si128((__m128i *)(void *)(to + i),
                                     _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
#endif
    memcpy(to + done, from + done, bytes - done);
}

static void plain(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/* Wait until it is my turn, copy what lies in the other's buffer, hand on. What goes back is what has come. */
static void turns(long bytes, int times, copy *copy)
{
    for (int i = 0; i < times; i++, turns_over += 2) {
        uint32_t mine = turns_over + (uint32_t)me;
        while (atomic_load_explicit(&shared->turn, memory_order_acquire) != mine)
            ;
        copy(shared->buffer[me], shared->buffer[1 - me], (size_t)bytes);
        atomic_store_explicit(&shared->turn, mine + 1, memory_order_release);
    }
    meet();
}

void copy_and_back(long bytes, int times, int ranks)
{
    (void)ranks;
    turns(bytes, times, plain);
}

void stream_and_back(long bytes, int times, int ranks)
{
    (void)ranks;
    turns(bytes, times, stream);
}

/* How many operations there were, over all batches: a batch may be one, and roles must change hands from one to the next. */
static int ops;

static void add(float *restrict sum, const float *restrict x, long count)
{
    for (long i = 0; i < count; i++)
        sum[i] += x[i];
}

/* Read every rank's tensor, add, write every rank's tensor: each process does half of it, in blocks that stay in the first
 * cache. The halves change hands with each call: what a rank brings was written by that rank, hardly ever by whoever adds it up. */
void reduce_all(long bytes, int times, int ranks)
{
    long count = bytes / (long)sizeof(float);
    float sum[BLOCK];
    for (int end = ops + times; ops < end; ops++) {
        bool upper = (me + ops) & 1;
        long from = upper ? count / 2 : 0, to = upper ? count : count / 2;
        for (long i = from; i < to; i += BLOCK) {
            long n = to - i < BLOCK ? to - i : BLOCK;
            memcpy(sum, (float *)(void *)shared->buffer[0] + i, (size_t)n * sizeof(float));
            for (int r = 1; r < ranks; r++)
                add(sum, (float *)(void *)shared->buffer[r] + i, n);
            for (int r = 0; r < ranks; r++)
                memcpy((float *)(void *)shared->buffer[r] + i, sum, (size_t)n * sizeof(float));
        }
        meet();
    }
}

/* ---- collectives that only move: each process does the work of half of the ranks ---------- */

/* Read the root's tensor once, write it to all others. The root goes round. */
static void broadcast_by(long bytes, int times, int ranks, copy *copy)
{
    for (int last = ops + times; ops < last; ops++) {
        int root = ops % ranks;
        long end = me ? bytes : bytes / 2;
        for (long at = me ? bytes / 2 : 0; at < end; at += GROUP) {
            size_t n = (size_t)(end - at < GROUP ? end - at : GROUP);
            for (int r = 0; r < ranks; r++)
                if (r != root)
                    copy(shared->buffer[r] + at, shared->buffer[root] + at, n);
        }
        meet();
    }
}

void broadcast_plain(long bytes, int times, int ranks)
{
    broadcast_by(bytes, times, ranks, plain);
}

void broadcast_stream(long bytes, int times, int ranks)
{
    broadcast_by(bytes, times, ranks, stream);
}

/* A buffer holds two tensors of as many blocks as there are ranks; they take turns as input and output. */
static char *block_of(int rank, int side, int block, long bytes, int ranks)
{
    return shared->buffer[rank] + ((long)side * ranks + block) * bytes;
}

/* Each rank's own block to all. Part after part, so that it is read once. */
static void gather_by(long bytes, int times, int ranks, copy *copy)
{
    for (int last = ops + times; ops < last; ops++) {
        for (int r = me; r < ranks; r += 2)
            for (long at = 0; at < bytes; at += GROUP) {
                size_t n = (size_t)(bytes - at < GROUP ? bytes - at : GROUP);
                const char *from = block_of(r, ops & 1, r, bytes, ranks) + at;
                for (int i = 0; i < ranks; i++)
                    copy(block_of(i, !(ops & 1), r, bytes, ranks) + at, from, n);
            }
        meet();
    }
}

void gather_plain(long bytes, int times, int ranks)
{
    gather_by(bytes, times, ranks, plain);
}

void gather_stream(long bytes, int times, int ranks)
{
    gather_by(bytes, times, ranks, stream);
}

/* Each block to where it belongs. */
static void exchange_by(long bytes, int times, int ranks, copy *copy)
{
    for (int last = ops + times; ops < last; ops++) {
        for (int r = me; r < ranks; r += 2)
            for (int i = 0; i < ranks; i++)
                copy(block_of(r, !(ops & 1), i, bytes, ranks), block_of(i, ops & 1, r, bytes, ranks),
                     (size_t)bytes);
        meet();
    }
}

void exchange_plain(long bytes, int times, int ranks)
{
    exchange_by(bytes, times, ranks, plain);
}

void exchange_stream(long bytes, int times, int ranks)
{
    exchange_by(bytes, times, ranks, stream);
}
