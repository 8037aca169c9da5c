/*
 * inject_stdio.c: libc writes and reads streams by calls of its own that nobody can come between. So a stream of a file is here a
 * stream that calls us (fopencookie), and we call write and read.
 */
#define _GNU_SOURCE
#include "inject_inside.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STREAMS 256

/* Which stream has which descriptor. */
static struct {
    _Atomic(FILE *) stream;
    int fd;
} streams[STREAMS];

/* As libc does: what is not written at once is written after. 0: an error. */
static ssize_t stream_write(void *cookie, const char *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t now = write((int)(intptr_t)cookie, from + done, bytes - done);
        if (now < 0)
            return (ssize_t)done;
        done += (size_t)now;
    }
    return (ssize_t)done;
}

static ssize_t stream_read(void *cookie, char *to, size_t bytes)
{
    return read((int)(intptr_t)cookie, to, bytes);
}

static int stream_seek(void *cookie, off64_t *at, int from)
{
    *at = lseek64((int)(intptr_t)cookie, *at, from);
    return *at < 0 ? -1 : 0;
}

/* Whatever is under the cookie, it is closed. */
static int stream_close(void *cookie)
{
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].stream && streams[i].fd == (int)(intptr_t)cookie)
            streams[i].stream = NULL;
    return close((int)(intptr_t)cookie);
}

static FILE *stream_over(int fd, const char *mode)
{
    const cookie_io_functions_t calls = { stream_read, stream_write, stream_seek, stream_close };
    inject_pause(); /* libc has asked for its memory */
    FILE *stream = fopencookie((void *)(intptr_t)fd, mode, calls);
    inject_resume();
    for (int i = 0; stream && i < STREAMS; i++) {
        FILE *none = NULL;
        if (atomic_compare_exchange_strong(&streams[i].stream, &none, stream)) {
            streams[i].fd = fd;
            break;
        }
    }
    return stream;
}

int fileno(FILE *stream)
{
    REAL(fileno);
    for (int i = 0; i < STREAMS; i++)
        if (stream && streams[i].stream == stream)
            return streams[i].fd;
    return real(stream);
}

/* libc opens the file, and our stream goes on with its descriptor. */
static FILE *open_stream(FILE *(*real)(const char *, const char *), const char *path, const char *mode)
{
    if (injected(INJECT_FILES, "fopen"))
        return NULL;
    FILE *libc = real(path, mode);
    int fd = libc ? fcntl(fileno(libc), strchr(mode, 'e') ? F_DUPFD_CLOEXEC : F_DUPFD, 0) : -1;
    if (libc)
        fclose(libc);
    FILE *stream = fd >= 0 ? stream_over(fd, mode) : NULL;
    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}

FILE *fopen(const char *path, const char *mode)
{
    REAL(fopen);
    return open_stream(real, path, mode);
}

FILE *fopen64(const char *path, const char *mode)
{
    REAL(fopen64);
    return open_stream(real, path, mode);
}

FILE *fdopen(int fd, const char *mode)
{
    return stream_over(fd, mode);
}

void inject_stdio(void)
{
    stdout = stream_over(1, "w");
    stderr = stream_over(2, "w");
    setvbuf(stdout, NULL, isatty(1) ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(stderr, NULL, _IONBF, 0);
}
