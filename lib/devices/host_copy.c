/*
 * host_copy.c: copying on the host.
 *
 * Small and middle tensors stay in the caches, where memcpy is as good as it gets. What does not fit there is written past
 * them (non-temporal stores): otherwise the processor first reads every line that it is about to overwrite, a third of all
 * the traffic. glibc would do so, too, from three quarters of the last cache on; but a virtual machine is told the
 * size of its host's cache, which it shares with others.
 *
 * On some processors four pages at a time, line by line in turn, are quicker, since the memory works on several pages at once; on
 * others page after page is, by a factor of four. So both are tried on the first pieces, and now and then again.
 * Measured: an Intel Xeon 10 to 12 GB/s in turn, 8 page after page, 6.5 with memcpy; an AMD EPYC (Zen 3) 3, 13 and 8.
 */
#include "host.h"
#include "../launch/eventcount.h"

#include <string.h>
#include <unistd.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define CACHES_MOST ((size_t)64 << 20) /* measured: no more is ours of any machine's last cache */
#define LINE ((size_t)64)
#define PAGE ((size_t)4096)
#define PAGES 4
#define TRIAL 8     /* pieces: each way has every other one */
#define TRIALS 2048 /* as many pieces until they are tried again */

bool host_outgrows_caches(size_t bytes)
{
    static _Atomic size_t limit;
    size_t most = atomic_load_explicit(&limit, memory_order_relaxed);
    if (most == 0) {
#ifdef _SC_LEVEL3_CACHE_SIZE
        long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
        long last = 0; /* musl does not say */
#endif
        most = last > 0 && (size_t)last < CACHES_MOST ? (size_t)last : CACHES_MOST;
        atomic_store_explicit(&limit, most, memory_order_relaxed);
    }
    return bytes >= most;
}

#if defined(__SSE2__)

/* One line past the caches. `to` is aligned to 16 bytes. */
static inline void host_copy_stream_line(char *to, const char *from)
{
    __m128i a = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i b = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    __m128i c = _mm_loadu_si128((const __m128i *)(const void *)(from + 32));
    __m128i d = _mm_loadu_si128((const __m128i *)(const void *)(from + 48));
    _mm_stream_si128((__m128i *)(void *)to, a);
    _mm_stream_si128((__m128i *)(void *)(to + 16), b);
    _mm_stream_si128((__m128i *)(void *)(to + 32), c);
    _mm_stream_si128((__m128i *)(void *)(to + 48), d);
}

/* Such stores keep no order with others, and the next word may say that all is there. Once, at the very end: it waits for the
 * memory. */
static void host_copy_stream_end(void)
{
    _mm_sfence();
}

#else

static inline void host_copy_stream_line(char *to, const char *from)
{
    memcpy(to, from, LINE);
}

static void host_copy_stream_end(void)
{
}

#endif

/* What is quicker: to copy as many pages in turn? `best` is of the last trial, in nanoseconds for a MiB. */
static struct {
    _Atomic unsigned pieces;
    _Atomic uint32_t best[2]; /* page after page, in turn */
} host_copy_ways;

static size_t host_copy_pages(char *to, const char *from, size_t bytes, size_t pages)
{
    size_t at = 0, group = pages * PAGE;
    for (; at + group <= bytes; at += group)
        for (size_t line = 0; line < PAGE; line += LINE)
            for (size_t page = 0; page < group; page += PAGE) {
                if (pages > 1)
                    __builtin_prefetch(from + at + page + line + group);
                host_copy_stream_line(to + at + page + line, from + at + page + line);
            }
    return at;
}

/* In one of the two ways. While they are tried their times are compared, the shorter of a few each: a thread may lose its core. */
static size_t host_copy_quickly(char *to, const char *from, size_t bytes)
{
    unsigned piece = atomic_fetch_add_explicit(&host_copy_ways.pieces, 1, memory_order_relaxed) % TRIALS;
    uint32_t best[2];
    for (int way = 0; way < 2; way++)
        best[way] = atomic_load_explicit(&host_copy_ways.best[way], memory_order_relaxed);
    if (piece >= TRIAL || bytes < PAGES * PAGE)
        return host_copy_pages(to, from, bytes, best[0] <= best[1] ? 1 : PAGES);
    int64_t start = launch_clock_ns();
    size_t done = host_copy_pages(to, from, bytes, piece % 2 ? PAGES : 1);
    uint32_t took = (uint32_t)((launch_clock_ns() - start) * 1024 / (int64_t)(bytes >> 10));
    if (piece < 2 || took < best[piece % 2])
        atomic_store_explicit(&host_copy_ways.best[piece % 2], took, memory_order_relaxed);
    return done;
}

static void host_copy_stream(char *to, const char *from, size_t bytes)
{
    size_t head = (LINE - (uintptr_t)to % LINE) % LINE;
    if (head > bytes)
        head = bytes;
    memcpy(to, from, head);
    size_t at = head + host_copy_quickly(to + head, from + head, bytes - head);
    for (; at + LINE <= bytes; at += LINE)
        host_copy_stream_line(to + at, from + at);
    memcpy(to + at, from + at, bytes - at);
}

void host_copy_past(void *to, const void *from, size_t bytes)
{
    if (to == from || bytes == 0)
        return;
    host_copy_stream(to, from, bytes);
    host_copy_stream_end();
}

void host_copy(void *to, const void *from, size_t bytes)
{
    if (host_outgrows_caches(2 * bytes))
        host_copy_past(to, from, bytes);
    else if (to != from && bytes > 0)
        memcpy(to, from, bytes);
}

void host_spread(void *const *to, int copies, const void *from, size_t bytes, bool past)
{
    size_t part = past ? PAGES * PAGE : PAGE; /* so much stays in the nearest cache while it is copied */
    for (size_t begin = 0; begin < bytes; begin += part) {
        size_t here = bytes - begin < part ? bytes - begin : part;
        const char *source = (const char *)from + begin;
        for (int i = 0; i < copies; i++) {
            char *target = (char *)to[i] + begin;
            if (target != source && past)
                host_copy_stream(target, source, here);
            else if (target != source)
                memcpy(target, source, here);
        }
    }
    if (past)
        host_copy_stream_end();
}

void host_reduce_spread(void **to, int copies, const void **in, int inputs, int64_t count,
                        enum dist_type type, enum dist_op op, bool past)
{
    enum { BLOCK = 8192 };
    alignas(WORLD_LINE) char block[BLOCK];
    size_t element = dtype_size(type), bytes = (size_t)count * element;
    for (size_t begin = 0; begin < bytes; begin += BLOCK) {
        size_t here = bytes - begin < BLOCK ? bytes - begin : BLOCK;
        host_reduce(block, in, inputs, (int64_t)(here / element), type, op);
        host_spread(to, copies, block, here, past);
        for (int i = 0; i < inputs; i++)
            in[i] = (const char *)in[i] + here;
        for (int i = 0; i < copies; i++)
            to[i] = (char *)to[i] + here;
    }
}
