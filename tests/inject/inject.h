/*
 * inject.h: an LD_PRELOAD library that lets the system's calls fail, one at a time.
 *
 *     LD_PRELOAD=build/tests/inject/libinject.so INJECT=memory:17 INJECT_LEDGER=file program
 *
 * INJECT=KIND:N[+][:HOW] fails the N-th call of a kind (N+: and all later ones), counted over all processes that share the ledger,
 * in the order in which they call. HOW is the errno, as a word; "short" gives less than was asked for. Without INJECT
 * calls are only counted.
 *
 *   memory   malloc, calloc, realloc, posix_memalign, aligned_alloc, mmap, ftruncate; and what libc builds on them: strdup, fopen,
 *            open_memstream, ...                                                                ENOMEM
 *   files    open, fopen, pipe, socket, accept, dup, memfd_create, opendir, ...                 EMFILE
 *   threads  pthread_create, fork                                                               EAGAIN
 *   write    write, send, rename, and what stdio writes to files, stdout and stderr             ENOSPC, or EINTR, short
 *   read     read, recv, and what stdio reads from files                                        EIO, or EINTR, short
 *
 * INJECT_LEDGER names a file of the size of struct ledger, which the caller makes (inject_open does).
 * INJECT_IN=NAME: only in processes of the program of this name (a program may start others, that are not meant).
 */
#ifndef INJECT_H
#define INJECT_H

#include <stdatomic.h>
#include <stdint.h>

enum inject_kind { INJECT_MEMORY, INJECT_FILES, INJECT_THREADS, INJECT_WRITE, INJECT_READ, INJECT_KINDS };

#define INJECT_NAMES \
    { \
        "memory", "files", "threads", "write", "read" \
    }
#define INJECT_FRAMES 12

/* What all processes of a run share, and who started them reads. */
struct ledger {
    _Atomic uint64_t seen[INJECT_KINDS]; /* calls so far */
    _Atomic uint32_t failed;             /* calls that were made to fail; the first of them: */
    _Atomic int32_t pid;
    char call[32];
    char program[200];             /* its file */
    uint64_t frame[INJECT_FRAMES]; /* who called it, as addresses in the program's file; 0: elsewhere */
};

#endif
