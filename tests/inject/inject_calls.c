/* inject_calls.c: the calls that can fail, each under libc's name. */
#define _GNU_SOURCE
#include "inject_inside.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

/* A function of libc that fails with `bad`. NAMES are what it is called with. */
#define CALL(kind, type, bad, name, arguments, names) \
    type name arguments \
    { \
        REAL(name); \
        int error = injected(kind, #name); \
        return error && error != SHORT ? (bad) : real names; \
    }

/* ---- memory ------------------------------------------------------------------------------ */

/* dlsym may ask for memory, before it has found who gives any. */
static _Alignas(16) char early[4096];
static size_t early_used;

static void *early_memory(size_t bytes)
{
    bytes = (bytes + 15) / 16 * 16;
    if (bytes > sizeof early - early_used)
        return NULL;
    early_used += bytes;
    return early + early_used - bytes;
}

void *calloc(size_t count, size_t bytes)
{
    static void *(*real)(size_t, size_t);
    static _Thread_local bool looking;
    if (!real && looking)
        return early_memory(count * bytes);
    looking = true;
    if (!real)
        *(void **)&real = real_call("calloc");
    looking = false;
    return injected(INJECT_MEMORY, "calloc") ? NULL : real(count, bytes);
}

void free(void *memory)
{
    REAL(free);
    if ((char *)memory < early || (char *)memory >= early + sizeof early)
        real(memory);
}

CALL(INJECT_MEMORY, void *, NULL, malloc, (size_t bytes), (bytes))
CALL(INJECT_MEMORY, void *, NULL, realloc, (void *old, size_t bytes), (old, bytes))
CALL(INJECT_MEMORY, void *, NULL, reallocarray, (void *old, size_t count, size_t bytes), (old, count, bytes))
CALL(INJECT_MEMORY, void *, NULL, aligned_alloc, (size_t align, size_t bytes), (align, bytes))
CALL(INJECT_MEMORY, int, errno, posix_memalign, (void **memory, size_t align, size_t bytes),
     (memory, align, bytes))
CALL(INJECT_MEMORY, void *, MAP_FAILED, mmap,
     (void *at, size_t bytes, int prot, int flags, int fd, off_t from), (at, bytes, prot, flags, fd, from))
CALL(INJECT_MEMORY, void *, MAP_FAILED, mmap64,
     (void *at, size_t bytes, int prot, int flags, int fd, off64_t from), (at, bytes, prot, flags, fd, from))
CALL(INJECT_MEMORY, int, -1, ftruncate, (int fd, off_t bytes), (fd, bytes))
CALL(INJECT_MEMORY, int, -1, ftruncate64, (int fd, off64_t bytes), (fd, bytes))
CALL(INJECT_MEMORY, int, -1, mprotect, (void *at, size_t bytes, int prot), (at, bytes, prot))

/* ---- descriptors ---------------------------------------------------------------------------- */

#define OPEN(name, arguments, names, names_and_mode) \
    int name arguments \
    { \
        REAL(name); \
        va_list list; \
        va_start(list, flags); \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0; \
        va_end(list); \
        return injected(INJECT_FILES, #name) ? -1 : real names_and_mode; \
    }

OPEN(open, (const char *path, int flags, ...), (path, flags), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags), (at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags), (at, path, flags, mode))
CALL(INJECT_FILES, int, -1, memfd_create, (const char *name, unsigned flags), (name, flags))
CALL(INJECT_FILES, int, -1, pipe, (int fd[2]), (fd))
CALL(INJECT_FILES, int, -1, pipe2, (int fd[2], int flags), (fd, flags))
CALL(INJECT_FILES, int, -1, dup, (int fd), (fd))
CALL(INJECT_FILES, int, -1, dup3, (int fd, int as, int flags), (fd, as, flags))
CALL(INJECT_FILES, int, -1, socket, (int domain, int type, int protocol), (domain, type, protocol))
CALL(INJECT_FILES, int, -1, socketpair, (int domain, int type, int protocol, int fd[2]),
     (domain, type, protocol, fd))
CALL(INJECT_FILES, int, -1, accept, (int fd, __SOCKADDR_ARG a, socklen_t *size), (fd, a, size))
CALL(INJECT_FILES, int, -1, accept4, (int fd, __SOCKADDR_ARG a, socklen_t *size, int flags),
     (fd, a, size, flags))
CALL(INJECT_FILES, int, -1, epoll_create1, (int flags), (flags))
CALL(INJECT_FILES, int, -1, eventfd, (unsigned count, int flags), (count, flags))
CALL(INJECT_FILES, int, -1, timerfd_create, (int clock, int flags), (clock, flags))
CALL(INJECT_FILES, int, -1, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
CALL(INJECT_FILES, DIR *, NULL, opendir, (const char *path), (path))
CALL(INJECT_FILES, int, -1, mkstemp, (char *path), (path))
CALL(INJECT_FILES, char *, NULL, mkdtemp, (char *path), (path))

/* ---- threads and processes -------------------------------------------------------------------- */

CALL(INJECT_THREADS, int, errno, pthread_create,
     (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *with),
     (thread, how, run, with))
CALL(INJECT_THREADS, pid_t, -1, fork, (void), ())

/* ---- what is written and read ------------------------------------------------------------------- */

#define MOVE(kind, name, arguments, names) \
    ssize_t name arguments \
    { \
        REAL(name); \
        int error = injected(kind, #name); \
        if (error == SHORT && bytes > 1) \
            bytes /= 2; \
        return error && error != SHORT ? -1 : real names; \
    }

MOVE(INJECT_WRITE, write, (int fd, const void *from, size_t bytes), (fd, from, bytes))
MOVE(INJECT_WRITE, pwrite, (int fd, const void *from, size_t bytes, off_t at), (fd, from, bytes, at))
MOVE(INJECT_WRITE, send, (int fd, const void *from, size_t bytes, int flags), (fd, from, bytes, flags))
MOVE(INJECT_READ, read, (int fd, void *to, size_t bytes), (fd, to, bytes))
MOVE(INJECT_READ, pread, (int fd, void *to, size_t bytes, off_t at), (fd, to, bytes, at))
MOVE(INJECT_READ, recv, (int fd, void *to, size_t bytes, int flags), (fd, to, bytes, flags))
CALL(INJECT_WRITE, int, -1, rename, (const char *from, const char *to), (from, to))
CALL(INJECT_WRITE, ssize_t, -1, sendmsg, (int fd, const struct msghdr *message, int flags),
     (fd, message, flags))
CALL(INJECT_READ, ssize_t, -1, recvmsg, (int fd, struct msghdr *message, int flags), (fd, message, flags))
