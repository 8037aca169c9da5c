/* output.c: read the ranks' pipes, make whole lines of what comes, write them out. */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#define JAM_US 1000

/* A reader that has stopped (a pager) must not keep the watcher from seeing Ctrl-C. */
static bool output_interrupted(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) || sigismember(&pending, SIGHUP));
}

/* A pipe that is ready takes at least one page without blocking. */
static int output_write_all(const struct output *output, int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        struct pollfd ready = { .fd = fd, .events = POLLOUT };
        if (poll(&ready, 1, 100) == 0) {
            if (output_interrupted())
                return EINTR;
            if (output->meanwhile)
                output->meanwhile(output->argument);
            continue;
        }
        ssize_t written = write(fd, bytes, size < 4096 ? size : 4096);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
    return 0;
}

/* Without memory it is written at once. */
static void output_add(struct output *output, int target, const char *bytes, size_t size)
{
    if (buffer_add(&output->ready[target], bytes, size))
        return;
    output_flush(output);
    if (output->error[target] == 0)
        output->error[target] = output_write_all(output, target + 1, bytes, size);
}

static void output_add_prefix(struct output *output, const struct stream *stream)
{
    static const int palette[] = { 36, 33, 35, 32, 34, 31 };
    char text[48];
    if (output->ordered || stream->rank < 0)
        return;
    if (output->colour[stream->target])
        snprintf(text, sizeof text, "\033[%dm[%d]\033[0m ", palette[stream->rank % 6], stream->rank);
    else
        snprintf(text, sizeof text, "[%d] ", stream->rank);
    output_add(output, stream->target, text, strlen(text));
}

/* Hand on bytes as one line. */
static void output_hand_on_line(struct output *output, const struct stream *stream, const char *bytes,
                                size_t size)
{
    output_add_prefix(output, stream);
    output_add(output, stream->target, bytes, size);
    if (bytes[size - 1] != '\n')
        output_add(output, stream->target, "\n", 1);
}

/* The same with what is held. */
static void output_hand_on(struct output *output, struct stream *stream)
{
    output_hand_on_line(output, stream, stream->held.bytes, stream->held.used);
    stream->held.used = 0;
}

static void output_take_lines(struct output *output, struct stream *stream, const char *bytes, size_t size)
{
    while (size > 0) {
        const char *newline = memchr(bytes, '\n', size);
        size_t part = newline ? (size_t)(newline - bytes) + 1 : size;
        if (stream->held.used + part > OUTPUT_LINE && stream->held.used > 0)
            output_hand_on(output, stream);
        bool held = buffer_add(&stream->held, bytes, part);
        if (stream->held.used > 0 && (!held || newline || stream->held.used >= OUTPUT_LINE))
            output_hand_on(output, stream);
        if (!held)
            output_hand_on_line(output, stream, bytes, part);
        bytes += part;
        size -= part;
    }
}

static void output_keep(struct stream *stream, const char *bytes, size_t size)
{
    size_t free_bytes = OUTPUT_KEPT - stream->held.used;
    size_t kept = size < free_bytes ? size : free_bytes;
    if (!buffer_add(&stream->held, bytes, kept))
        kept = 0;
    stream->dropped += size - kept;
}

static bool output_is_kept(const struct output *output, const struct stream *stream)
{
    return output->ordered && stream->rank > 0;
}

static void output_close_stream(struct output *output, struct stream *stream)
{
    epoll_ctl(output->events_fd, EPOLL_CTL_DEL, stream->read_fd, NULL);
    close(stream->read_fd);
    stream->read_fd = -1;
    output->open--;
    if (stream->held.used > 0 && !output_is_kept(output, stream))
        output_hand_on(output, stream);
}

void output_take(struct output *output, int index, const char *bytes, size_t size)
{
    if (index < 0 || index >= output->count || output->error[output->streams[index].target] == EPIPE)
        return;
    if (output_is_kept(output, &output->streams[index]))
        output_keep(&output->streams[index], bytes, size);
    else
        output_take_lines(output, &output->streams[index], bytes, size);
}

void output_read(struct output *output, int index)
{
    struct stream *stream = &output->streams[index];
    if (stream->read_fd < 0)
        return;
    if (output->is_jammed && output->is_jammed(output->argument)) {
        usleep(JAM_US);
        return;
    }
    ssize_t size = read(stream->read_fd, output->piece, OUTPUT_PIECE);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size < 0 && output->error[0] == 0)
        output->error[0] = errno;
    if (size <= 0)
        output_close_stream(output, stream);
    else if (output->divert)
        output->divert(output->argument, index, output->piece, (size_t)size);
    else
        output_take(output, index, output->piece, (size_t)size);
}

/* Nobody reads our output any more: close the pipes behind it, so that the ranks learn it as they would
 * without a watcher. */
static void output_close_target(struct output *output, int target)
{
    for (int i = 0; i < output->count; i++)
        if (output->streams[i].target == target && output->streams[i].read_fd >= 0)
            output_close_stream(output, &output->streams[i]);
    output->ready[target].used = 0;
}

void output_flush(struct output *output)
{
    for (int target = 0; target < 2; target++) {
        struct buffer *ready = &output->ready[target];
        if (ready->used > 0 && output->error[target] == 0)
            output->error[target] = output_write_all(output, target + 1, ready->bytes, ready->used);
        ready->used = 0;
        if (output->error[target] == EPIPE)
            output_close_target(output, target);
    }
}

void output_finish(struct output *output)
{
    for (int i = 0; i < output->count; i++) {
        struct stream *stream = &output->streams[i];
        if (stream->read_fd >= 0)
            output_close_stream(output, stream);
        if (stream->held.used > 0)
            output_hand_on(output, stream);
        if (stream->dropped > 0) {
            char text[96];
            snprintf(text, sizeof text, "(%zu more bytes of rank %d were dropped)\n", stream->dropped,
                     stream->rank);
            output_add(output, stream->target, text, strlen(text));
        }
        if (output->ready[stream->target].used > OUTPUT_LINE)
            output_flush(output);
    }
    output_flush(output);
}
