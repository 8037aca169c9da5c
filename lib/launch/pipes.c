/* pipes.c: the descriptors between the ranks and their watcher, and who closes which. */
#define _GNU_SOURCE
#include "job.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

void launch_fill_standard_files(void)
{
    int fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO)
        fd = dup(fd);
    if (fd >= 0)
        close(fd);
}

static bool pipes_wants_colour(int fd)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fd) && !(no && *no) && terminal && strcmp(terminal, "dumb") != 0;
}

bool output_open(struct output *output, int ranks, bool spare, bool ordered)
{
    int channels = ranks + spare;
    *output = (struct output){ .count = 2 * channels, .ordered = ordered };
    output->streams = calloc((size_t)output->count, sizeof *output->streams);
    output->piece = malloc(OUTPUT_PIECE);
    bool room =
        buffer_reserve(&output->ready[0], OUTPUT_ROOM) && buffer_reserve(&output->ready[1], OUTPUT_ROOM);
    output->events_fd = epoll_create1(EPOLL_CLOEXEC);
    if (!output->streams || !output->piece || !room || output->events_fd < 0)
        return false;
    for (int i = 0; i < output->count; i++) {
        struct stream *stream = &output->streams[i];
        stream->read_fd = stream->write_fd = -1;
        stream->rank = i / 2 < ranks ? i / 2 : -1;
        stream->target = i % 2;
    }
    output->colour[0] = pipes_wants_colour(1);
    output->colour[1] = pipes_wants_colour(2);
    return true;
}

void output_close(struct output *output)
{
    for (int i = 0; i < output->count && output->streams; i++) {
        if (output->streams[i].read_fd >= 0)
            close(output->streams[i].read_fd);
        if (output->streams[i].write_fd >= 0)
            close(output->streams[i].write_fd);
        free(output->streams[i].held.bytes);
    }
    if (output->events_fd >= 0)
        close(output->events_fd);
    free(output->ready[0].bytes);
    free(output->ready[1].bytes);
    free(output->streams);
    free(output->piece);
}

bool output_make_pipes(struct output *output, int channel)
{
    for (int i = 2 * channel; i < 2 * channel + 2; i++) {
        struct stream *stream = &output->streams[i];
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            return false;
        stream->read_fd = ends[0];
        stream->write_fd = ends[1];
        output->open++;
        struct epoll_event event = { .events = EPOLLIN, .data.u64 = (uint64_t)i };
        if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0 ||
            epoll_ctl(output->events_fd, EPOLL_CTL_ADD, ends[0], &event) != 0)
            return false;
    }
    return true;
}

void output_parent_done(struct output *output, int channel)
{
    for (int i = 2 * channel; i < 2 * channel + 2; i++) {
        close(output->streams[i].write_fd);
        output->streams[i].write_fd = -1;
    }
}
