/*
 * short.c: what a rank needs runs out for a moment, by name: the call says so and nothing else goes wrong. Only the calling thread
 * is short of it: this file's functions stand before those of the C library.
 */
#define _GNU_SOURCE
#include "dist.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;
static _Thread_local bool no_threads, no_memory;
static _Thread_local enum dist_error error;
static _Atomic int allowed = -1; /* threads, until one is refused, and late; -1: all */

int pthread_create(pthread_t *thread, const pthread_attr_t *with, void *(*run)(void *), void *argument)
{
    int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    if (allowed >= 0 && allowed-- == 0) {
        usleep(300000);
        return EAGAIN;
    }
    return no_threads ? EAGAIN : real(thread, with, run, argument);
}

extern void *__libc_calloc(size_t count, size_t size);
void *calloc(size_t count, size_t size)
{
    if (no_memory)
        errno = ENOMEM;
    return no_memory ? NULL : __libc_calloc(count, size);
}

static void note(const struct dist_report *told, void *unused)
{
    (void)unused;
    error = told->error;
}

static void expect(enum dist_error expected, const char *call)
{
    if (error != expected)
        printf("%s gave %d, not %d\n", call, (int)error, (int)expected);
    error = DIST_OK;
}

/* Nothing that was refused may be under way: else the first message to come would be taken by it. */
static void threads(int right, int left, tensor *x, tensor *y)
{
    no_threads = true;
    if (dist_isend(x, right))
        printf("isend gave a work\n");
    expect(DIST_ERR_SYSTEM, "isend");
    if (dist_irecv(y, left))
        printf("irecv gave a work\n");
    expect(DIST_ERR_SYSTEM, "irecv");
    if (dist_all_reduce(y, .async_op = true))
        printf("all_reduce gave a work\n");
    expect(DIST_ERR_SYSTEM, "all_reduce");
    no_threads = false;
    dist_work *works[] = { dist_irecv(y, left), dist_isend(x, right) };
    dist_wait_all(works, 2);
    expect(DIST_OK, "wait_all");
}

/* With DIST_BUFFERING=eager:4096. */
static void buffers(int right, int left, tensor *x, tensor *y)
{
    no_threads = true;
    dist_send(x, right);
    expect(DIST_ERR_SYSTEM, "send without a thread");
    no_threads = false;
    dist_send(x, right); /* takes a copy that could be used again, and nobody receives before the barrier */
    no_memory = true;
    dist_send(x, right);
    expect(DIST_ERR_MEMORY, "send without memory");
    if (dist_isend(x, right))
        printf("isend gave a work\n");
    expect(DIST_ERR_MEMORY, "isend without memory");
    no_memory = false;
    dist_barrier();
    dist_send(x, right);
    dist_recv(y, left);
    dist_recv(y, left);
    expect(DIST_OK, "recv");
}

static void refused(int rank, int size, int times)
{
    int list[16];
    for (int i = 0; i < size; i++)
        list[i] = rank == 1 ? size - 1 - i : i;
    for (int i = 0; i < times; i++) {
        if (dist_new_group(list, size))
            printf("new_group gave a group\n");
        expect(DIST_ERR_MISMATCH, "new_group");
    }
}

static void groups(int rank, int size)
{
    int list[] = { 0, 1, 2 };
    refused(rank, size, 20);
#ifdef __GLIBC__
    size_t before = mallinfo2().uordblks;
    refused(rank, size, 100);
    if (mallinfo2().uordblks > before + 1000)
        printf("%zu bytes are lost\n", mallinfo2().uordblks - before);
#endif
    no_memory = rank == 1; /* it alone: all are refused alike, and nobody waits */
    for (int i = 0; i < 5; i++) {
        if (dist_new_group(list, size))
            printf("new_group gave a group to rank %d, where rank 1 has no memory\n", rank);
        expect(DIST_ERR_MEMORY, "new_group without memory");
    }
    no_memory = false;
    dist_group *good = dist_new_group(list, size);
    dist_barrier(.group = good);
    expect(DIST_OK, "new_group");
}

/* With DEVICE=sim. The third thread of rank 1 is for what its stream has begun, when it itself waits already for all others. */
static void stream(int rank, int size)
{
    int all[] = { 0, 1, 2 };
    allowed = rank == 1 ? 2 : -1;
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, 1, 7);
    if (rank == 0)
        dist_recv(x, DIST_ANY_SOURCE);
    if (rank == 0)
        printf("received %g\n", tensor_item(x, 0));
    if (rank == 1)
        dist_send(x, 0);
    dist_group_free(dist_new_group(all, size));
}

static void run(int rank, int size)
{
    if (strcmp(what, "stream") == 0) {
        stream(rank, size);
        return;
    }
    dist_init_process_group();
    tensor *x = tensor_full(DIST_F32, rank, 100), *y = tensor_full(DIST_F32, -1, 100);
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    dist_set_error_handler(note, NULL);
    if (strcmp(what, "threads") == 0)
        threads(right, left, x, y);
    else if (strcmp(what, "buffers") == 0)
        buffers(right, left, x, y);
    if (strcmp(what, "groups") == 0)
        groups(rank, size);
    else if (tensor_item(y, 99) != left)
        printf("received %g\n", tensor_item(y, 99));
    dist_barrier();
    dist_destroy_process_group();
    expect(DIST_OK, "the end");
}

int main(int argc, char **argv)
{
    what = argc > 1 ? argv[1] : "threads";
    return dist_spawn(run, 3);
}
