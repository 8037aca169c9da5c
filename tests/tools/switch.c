/*
 * switch.c: a switch for the cluster of hosts.sh, with cables that have a rate and a delay, and that can be cut.
 *
 *     switch HOSTS RATE[,RATE...] DELAY
 *
 * makes the TAP devices tap0 ... tapHOSTS (the last one is the switch's own end), says "ready", and carries frames between them.
 * "cut N" and "mend N", lines on stdin, pull a cable and put it back.
 *
 * A frame takes the sender's cable for bytes / rate, then the receiver's, cut-through: it is on both at once, unless one of them is busy.
 * DELAY after its last byte it is there. So a message of n bytes takes alpha + n beta, alpha = DELAY and what the system needs, and
 * beta = 1 / RATE; two senders to one host share its cable. That is what the kernel's own shapers do not give: tbf lets a burst pass for free.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define PORTS_MAX 66
#define FRAME_MAX 1518
#define QUEUE 4096  /* frames that wait for one receiver; more are lost, as in any switch */
#define OVERHEAD 24 /* preamble, checksum and gap, which take the cable's time too */

struct frame {
    double due; /* when its last byte is there */
    int bytes;
    unsigned char data[FRAME_MAX];
};

struct port {
    int fd;
    bool cut;
    double seconds_per_byte;  /* 0: no rate */
    double out_free, in_free; /* when its cable is free again, each way */
    unsigned head, tail;      /* of the queue to its host */
    struct frame *queue;      /* a ring of QUEUE */
    unsigned char station[6]; /* the address of its host, from the last frame that it sent */
};

static struct port ports[PORTS_MAX];
static int count;
static double delay;

static void switch_fail(const char *what)
{
    printf("%s: %s\n", what, strerror(errno));
    exit(77);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- words ---------------------------------------------------------------------------------------------------- */

struct unit {
    const char *name;
    double value;
};

/* "100mbit" by { "mbit", 1e6 }: -1 where it is nothing like that. */
static double read_number(const char *word, const struct unit *units)
{
    char *end;
    double value = strtod(word, &end);
    if (strcmp(word, "0") == 0)
        return 0;
    for (; units->name; units++)
        if (strcmp(end, units->name) == 0 && end != word && value > 0)
            return value * units->value;
    return -1;
}

static void read_rates(char *words)
{
    static const struct unit rates[] = { { "kbit", 1e3 }, { "mbit", 1e6 }, { "gbit", 1e9 }, { NULL, 0 } };
    double rate = 0;
    for (int i = 0; i <= count; i++) {
        char *word = i < count ? strsep(&words, ",") : "0"; /* the switch's own end is no cable */
        if (word)
            rate = read_number(word, rates);
        if (rate < 0) {
            printf("a rate is written 1gbit, 100mbit or 500kbit; not %s\n", word);
            exit(2);
        }
        ports[i].seconds_per_byte = rate > 0 ? 8 / rate : 0;
    }
}

static void read_delay(const char *word)
{
    static const struct unit delays[] = { { "us", 1e-6 }, { "ms", 1e-3 }, { "s", 1 }, { NULL, 0 } };
    delay = read_number(word, delays);
    if (delay < 0) {
        printf("a delay is written 100us or 1ms; not %s\n", word);
        exit(2);
    }
}

/* ---- ports ---------------------------------------------------------------------------------------------------- */

static void open_port(int number)
{
    struct port *port = &ports[number];
    struct ifreq name = { .ifr_flags = IFF_TAP | IFF_NO_PI };
    snprintf(name.ifr_name, sizeof name.ifr_name, "tap%d", number);
    port->fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (port->fd < 0)
        switch_fail("a rate and a delay need /dev/net/tun");
    if (ioctl(port->fd, TUNSETIFF, &name) != 0)
        switch_fail("a rate and a delay need TAP devices");
    port->queue = malloc(QUEUE * sizeof *port->queue);
    if (!port->queue)
        switch_fail("no memory");
}

static void enqueue(struct port *from, struct port *to, const unsigned char *data, int bytes, double t)
{
    struct frame *frame = &to->queue[to->tail % QUEUE];
    double begin = from->out_free - (bytes + OVERHEAD) * from->seconds_per_byte; /* its first byte is here */
    if (to->tail - to->head == QUEUE || to->cut)
        return;
    begin = begin < to->in_free ? to->in_free : begin;
    to->in_free = begin + (bytes + OVERHEAD) * to->seconds_per_byte;
    frame->due = (to->in_free > from->out_free ? to->in_free : from->out_free) + delay;
    frame->due = frame->due < t ? t : frame->due;
    frame->bytes = bytes;
    memcpy(frame->data, data, (size_t)bytes);
    to->tail++;
}

/* To the host that has this address; to all, if it is nobody's (a broadcast). */
static void forward(struct port *from, const unsigned char *data, int bytes)
{
    double t = now();
    struct port *to = NULL;
    memcpy(from->station, data + 6, 6);
    if (from->cut)
        return;
    from->out_free = (from->out_free < t ? t : from->out_free) + (bytes + OVERHEAD) * from->seconds_per_byte;
    for (int i = 0; i <= count && !to; i++)
        if (memcmp(ports[i].station, data, 6) == 0)
            to = &ports[i];
    for (int i = 0; i <= count; i++)
        if (to ? &ports[i] == to : &ports[i] != from)
            enqueue(from, &ports[i], data, bytes, t);
}

/* Some frames of one host, then the next one's turn. */
static void take(struct port *from)
{
    unsigned char data[FRAME_MAX];
    for (int i = 0; i < 16; i++) {
        int bytes = (int)read(from->fd, data, sizeof data);
        if (bytes < 14)
            return;
        forward(from, data, bytes);
    }
}

/* What is due. Returns when the next one is. */
static double give(struct port *to, double t)
{
    while (to->head != to->tail) {
        struct frame *frame = &to->queue[to->head % QUEUE];
        if (frame->due > t)
            return frame->due;
        if (!to->cut && write(to->fd, frame->data, (size_t)frame->bytes) < 0 && errno == EAGAIN)
            return t + 20e-6;
        to->head++;
    }
    return 1e300;
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

static void obey(void)
{
    char words[256], verb[5];
    int number;
    ssize_t bytes = read(STDIN_FILENO, words, sizeof words - 1);
    if (bytes <= 0)
        exit(0);
    words[bytes] = '\0';
    for (char *rest = words, *line; (line = strsep(&rest, "\n")) != NULL;)
        if (sscanf(line, "%4s %d", verb, &number) == 2 && number >= 0 && number < count)
            ports[number].cut = strcmp(verb, "cut") == 0;
}

static void wait_until(struct pollfd *polls, double due)
{
    double rest = due - now();
    struct timespec time = { 0 };
    if (rest > 0) {
        time.tv_sec = (time_t)rest;
        time.tv_nsec = (long)((rest - (double)time.tv_sec) * 1e9);
    }
    if (ppoll(polls, (nfds_t)count + 2, due > 1e200 ? NULL : &time, NULL) < 0 && errno != EINTR)
        switch_fail("ppoll");
}

int main(int argc, char **argv)
{
    struct pollfd polls[PORTS_MAX + 1];
    count = argc == 4 ? atoi(argv[1]) : 0;
    if (count < 1 || count > PORTS_MAX - 2) {
        fprintf(stderr, "usage: switch HOSTS RATE[,RATE...] DELAY\n");
        return 2;
    }
    read_rates(argv[2]);
    read_delay(argv[3]);
    prctl(PR_SET_TIMERSLACK, 1UL);
    for (int i = 0; i <= count; i++) {
        open_port(i);
        polls[i] = (struct pollfd){ .fd = ports[i].fd, .events = POLLIN };
    }
    polls[count + 1] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
    puts("ready");
    fflush(stdout);
    for (;;) {
        double due = 1e300, t = now();
        for (int i = 0; i <= count; i++) {
            double next = give(&ports[i], t);
            due = next < due ? next : due;
        }
        wait_until(polls, due);
        for (int i = 0; i <= count; i++)
            if (polls[i].revents & POLLIN)
                take(&ports[i]);
        if (polls[count + 1].revents)
            obey();
    }
}
