/* output.c: read the ranks' pipes, make whole lines of what comes, write them out. */
#define _GNU_SOURCE
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define JAM_US 1000
#define READER_MS 10   /* for our reader to take more */
#define HURRIED_MS 100 /* and where that ends the matter */

static void output_add(struct output *output, int target, const char *bytes, size_t size)
{
    if (output->error[target] == 0 && !buffer_add(&output->ready[target], bytes, size))
        output->error[target] = ENOMEM;
}

static void output_add_prefix(struct output *output, const struct stream *stream)
{
    static const int palette[] = { 36, 33, 35, 32, 34, 31 };
    int rank = stream->rank;
    if (output->ordered || rank < 0)
        return;
    struct words prefix = output->colour[stream->target]
                              ? words_of("\033[%dm[%d]\033[0m ", palette[rank % 6], rank)
                              : words_of("[%d] ", rank);
    output_add(output, stream->target, prefix.text, strlen(prefix.text));
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
    if (output_is_behind(output, OUTPUT_LINE)) {
        if (output->away)
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
    else if (output->away)
        connection_put(output->away, (struct frame){ FRAME_OUTPUT, index, (size_t)size, { 0 } },
                       output->piece);
    else
        output_take(output, index, output->piece, (size_t)size);
}

/* What the reader takes soon. A pipe that is ready takes at least one page without blocking. */
static void output_write(struct output *output, int target)
{
    struct buffer *ready = &output->ready[target];
    struct pollfd reader = { .fd = target + 1, .events = POLLOUT };
    size_t done = 0;
    int patience = output->hurried ? HURRIED_MS : READER_MS;
    while (done < ready->used && output->error[target] == 0 && poll(&reader, 1, done ? 0 : patience) > 0) {
        size_t left = ready->used - done;
        ssize_t written = write(target + 1, ready->bytes + done, left < 4096 ? left : 4096);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            output->error[target] = errno;
        done += written > 0 ? (size_t)written : 0;
    }
    if (output->hurried && done == 0 && ready->used > 0 && output->error[target] == 0)
        output->error[target] = EINTR;
    buffer_drop(ready, output->error[target] ? ready->used : done);
}

/* Where nobody reads our output any more, close the pipes behind it, so that the ranks learn it as they would without a watcher. */
void output_flush(struct output *output)
{
    for (int target = 0; target < 2; target++) {
        output_write(output, target);
        for (int i = 0; i < output->count && output->error[target] == EPIPE; i++)
            if (output->streams[i].target == target && output->streams[i].read_fd >= 0)
                output_close_stream(output, &output->streams[i]);
        if (output->error[target] == EPIPE)
            output->ready[target].used = 0;
    }
}

bool output_is_behind(const struct output *output, size_t most)
{
    return output->ready[0].used > most || output->ready[1].used > most ||
           (output->away && output->away->out.used > OUTPUT_AWAY);
}

size_t output_left_in(const struct output *output, int index)
{
    int bytes = 0, fd = output->streams[index].read_fd;
    return fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0 ? (size_t)bytes : 0;
}

bool output_end_stream(struct output *output, int index)
{
    struct stream *stream = &output->streams[index];
    size_t part = OUTPUT_LINE;
    if (stream->read_fd >= 0)
        output_close_stream(output, stream);
    if (stream->held.used > stream->handed + part) {
        output_add(output, stream->target, stream->held.bytes + stream->handed, part);
        stream->handed += part;
        return true;
    }
    buffer_drop(&stream->held, stream->handed);
    if (stream->held.used > 0)
        output_hand_on(output, stream);
    if (stream->dropped > 0) {
        struct words loss =
            words_of("(%zu more bytes of rank %d were dropped)\n", stream->dropped, stream->rank);
        output_add(output, stream->target, loss.text, strlen(loss.text));
    }
    return false;
}
