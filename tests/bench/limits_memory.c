/* limits_memory.c: what must be read and written at the least, by plain C. Built for this very processor. */
#define _GNU_SOURCE
#include "limits.h"

#include <stdbool.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { BLOCK = 1024 };

/* Past the caches, where the processor can: for what is larger than they are. */
static void stream(char *to, const char *from, size_t bytes)
{
#if defined(__SSE2__)
    for (size_t i = 0; i + 16 <= bytes; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i),
                         _mm_load_si128((const __m128i *)(const void *)(from + i)));
    _mm_sfence();
#else
    memcpy(to, from, bytes);
#endif
}

static void plain(char *to, const char *from, size_t bytes)
{
    memcpy(to, from, bytes);
}

/* Wait until it is my turn, copy what lies in the other's buffer, hand on. What goes back is what has come. */
static void turns(long bytes, int times, void (*copy)(char *, const char *, size_t))
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
    for (int t = 0; t < times; t++) {
        bool upper = (me + t) & 1;
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
