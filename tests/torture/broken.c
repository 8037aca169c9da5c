/* broken.c: calls of the system that fail when they are told to. The linker leads the library's calls here (--wrap). */
#define _GNU_SOURCE
#include "torture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__real_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset);
int __real_open(const char *path, int flags, ...);
FILE *__real_fopen(const char *path, const char *mode);
int __real_memfd_create(const char *name, unsigned flags);
int __real_pipe2(int *ends, int flags);
int __real_epoll_create1(int flags);
int __real_signalfd(int fd, const sigset_t *mask, int flags);
int __real_dup(int fd);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *given);
pid_t __real_fork(void);

/* What fails. Threads of one process are ranks of their own: there it is the thread's. */
struct breakage {
    enum fault fault;
    _Atomic long left; /* calls until the first that fails */
    long row;          /* how many fail */
};

static struct board *board;
static struct breakage of_process;
static _Thread_local struct breakage of_thread;

void broken_begin(struct board *shared, enum fault fault, int nth, long row, bool whole)
{
    struct breakage *breakage = whole ? &of_process : &of_thread;
    board = shared;
    breakage->left = nth;
    breakage->row = row;
    breakage->fault = fault;
}

void broken_end(void)
{
    of_process.fault = of_thread.fault = NO_FAULT;
}

static bool counts(struct breakage *breakage, enum fault kind)
{
    if (breakage->fault != kind)
        return false;
    long left = atomic_fetch_sub(&breakage->left, 1);
    return left <= 1 && left > 1 - breakage->row;
}

/* Does this call fail? */
static bool fails(enum fault kind, int error)
{
    if (!counts(&of_thread, kind) && !counts(&of_process, kind))
        return false;
    atomic_store(&board->struck, 1);
    errno = error;
    return true;
}

void *own_memory(size_t bytes)
{
    void *memory = __real_malloc(bytes + 1);
    if (!memory)
        _exit(OWN_MEMORY);
    return memory;
}

void *__wrap_malloc(size_t bytes)
{
    return fails(NO_MEMORY, ENOMEM) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fails(NO_MEMORY, ENOMEM) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails(NO_MEMORY, ENOMEM) ? NULL : __real_realloc(old, bytes);
}

void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    return fails(NO_MEMORY, ENOMEM) ? MAP_FAILED : __real_mmap(at, bytes, access, flags, fd, offset);
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    int mode = flags & O_CREAT ? va_arg(list, int) : 0;
    va_end(list);
    return fails(NO_FILES, EMFILE) ? -1 : __real_open(path, flags, mode);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    return fails(NO_FILES, EMFILE) || fails(NO_MEMORY, ENOMEM) ? NULL : __real_fopen(path, mode);
}

int __wrap_memfd_create(const char *name, unsigned flags)
{
    return fails(NO_FILES, EMFILE) ? -1 : __real_memfd_create(name, flags);
}

int __wrap_pipe2(int *ends, int flags)
{
    return fails(NO_FILES, EMFILE) ? -1 : __real_pipe2(ends, flags);
}

int __wrap_epoll_create1(int flags)
{
    return fails(NO_FILES, EMFILE) ? -1 : __real_epoll_create1(flags);
}

int __wrap_signalfd(int fd, const sigset_t *mask, int flags)
{
    return fails(NO_FILES, EMFILE) ? -1 : __real_signalfd(fd, mask, flags);
}

int __wrap_dup(int fd)
{
    return fails(NO_FILES, EMFILE) ? -1 : __real_dup(fd);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *given)
{
    return fails(NO_THREADS, EAGAIN) ? EAGAIN : __real_pthread_create(thread, how, run, given);
}

/* What was told to the launcher is not the ranks' business. */
pid_t __wrap_fork(void)
{
    if (fails(NO_THREADS, EAGAIN))
        return -1;
    pid_t pid = __real_fork();
    if (pid == 0)
        broken_end();
    return pid;
}
