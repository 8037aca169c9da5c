/* connection.c: frames over one TCP connection. Nothing here blocks, but what has a time to give up. */
#define _GNU_SOURCE
#include "job.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define FRAME_MOST (1u << 22) /* bytes; ours are shorter */
#define PIECE 65536

void connection_open(struct connection *link, int fd)
{
    int on = 1;
    link->fd = fd;
    link->looked = link->spoke = job_clock();
    link->silent = 0;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void connection_close(struct connection *link)
{
    if (link->fd >= 0)
        close(link->fd);
    free(link->in.bytes);
    free(link->out.bytes);
    link->fd = -1;
    link->in = link->out = (struct buffer){ 0 };
    link->taken = 0;
}

bool connection_send(struct connection *link)
{
    size_t sent = 0;
    while (link->fd >= 0 && sent < link->out.used) {
        ssize_t some =
            send(link->fd, link->out.bytes + sent, link->out.used - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0 && errno != EAGAIN)
            return false;
        if (some <= 0)
            break;
        sent += (size_t)some;
        link->spoke = job_clock();
    }
    buffer_drop(&link->out, sent);
    return true;
}

void connection_put(struct connection *link, struct frame frame, const void *bytes)
{
    if (link->fd < 0 || !buffer_reserve(&link->out, sizeof frame + frame.bytes))
        return;
    buffer_add(&link->out, &frame, sizeof frame);
    buffer_add(&link->out, bytes, frame.bytes);
    connection_send(link); /* has it broken, the next round sees that */
}

bool connection_drain(struct connection *link, int64_t give_up)
{
    while (connection_send(link) && link->out.used > 0 && job_clock() < give_up)
        poll(&(struct pollfd){ .fd = link->fd, .events = POLLOUT }, 1, 100);
    return link->out.used == 0;
}

bool connection_say(struct connection *link, const void *bytes, size_t size, int64_t give_up)
{
    return buffer_add(&link->out, bytes, size) && connection_drain(link, give_up);
}

bool connection_fill(struct connection *link)
{
    buffer_drop(&link->in, link->taken);
    link->taken = 0;
    while (link->fd >= 0 && link->in.used < sizeof(struct frame) + FRAME_MOST) {
        if (!buffer_reserve(&link->in, PIECE))
            return false;
        ssize_t some = recv(link->fd, link->in.bytes + link->in.used, PIECE, MSG_DONTWAIT);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0 && errno == EAGAIN)
            return true;
        if (some <= 0)
            return false;
        link->in.used += (size_t)some;
        link->silent = 0;
    }
    return link->fd >= 0;
}

bool connection_next(struct connection *link, struct frame *frame, const char **bytes)
{
    size_t there = link->in.used - link->taken;
    if (there < sizeof *frame)
        return false;
    memcpy(frame, link->in.bytes + link->taken, sizeof *frame);
    if (frame->bytes > FRAME_MOST) { /* none of ours */
        link->taken = link->in.used;
        return false;
    }
    if (there < sizeof *frame + frame->bytes)
        return false;
    *bytes = link->in.bytes + link->taken + sizeof *frame;
    link->taken += sizeof *frame + frame->bytes;
    return true;
}

bool connection_hear(struct connection *link, void *bytes, size_t size, int64_t give_up)
{
    struct pollfd ready = { .fd = link->fd, .events = POLLIN };
    size_t there;
    /* (Whoever has sent the last bytes hangs up at once; and a side that was stopped looks once more, late as it is.) */
    for (bool more = true; (there = link->in.used - link->taken) < size && more;) {
        bool in_time = job_clock() <= give_up;
        more = (poll(&ready, 1, 100) <= 0 || connection_fill(link)) && in_time;
    }
    there = there < size ? there : size;
    if (there > 0)
        memcpy(bytes, link->in.bytes + link->taken, there);
    link->taken += there;
    return there == size;
}
