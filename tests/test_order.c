/*
 * test_order.c: DIST_CHECK=1 finds streams that touch the same data in no order, whatever is missing, and says what; and
 * it leaves alone what is in order, however that was brought about.
 */
#define _GNU_SOURCE
#include "mistakes.h"
#include "started.h"

#include "dist.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define CHECKED "DIST_CHECK=1"
#define ORDER(name, first, later, words) \
    { \
        name, DIST_ERR_BUFFER, "buffer: rank ", { first, later }, words, CHECKED \
    }

static const struct mistake missing[] = {
    ORDER("write-write", "fill", "write-write", "writes to a tensor that stream 1 may still be writing"),
    ORDER("write-read", "fill", "write-read", "reads a tensor that stream 1 may still be writing"),
    ORDER("write-print", "fill", "write-print", "by tensor_print, in stream 2"),
    ORDER("write-clone", "fill", "write-clone", "an event that lets stream 2 wait for stream 1"),
    ORDER("default", "fill", "default", "let the default stream wait for it before line"),
    ORDER("host-write", "fill", "host-write", "by tensor_write, in the default stream"),
    ORDER("read-write", "reader", "read-write", "writes to a tensor that stream 1 may still be reading"),
    ORDER("slices", "front", "middle", "by tensor_mul_scalar, in stream 2"),
    ORDER("learn-read", "learner-read", "learned", "stream 1 may still be reading"),
    ORDER("learn-write", "learner-write", "learned", "stream 1 may still be writing"),
    ORDER("learn-losses", "learner-losses", "learned", "stream 1 may still be reading"),
    ORDER("learn-moments", "learner-moments", "learned", "stream 1 may still be writing"),
    ORDER("early-event", "eventful", "events", "record an event in stream 1 after line"),
    ORDER("other-event", "eventful", "events", "record an event in stream 1 after line"),
    ORDER("other-waits", "eventful", "events", "let stream 2 wait for it"),
    ORDER("send", "before-send", "send", "sends a tensor that stream 1 may still be writing"),
    ORDER("sent", "send", "sent", "by dist_isend, waited for in stream 1"),
    ORDER("received", "recv", "received", "reads a tensor that stream 1 may still be receiving"),
    ORDER("in-between", "send", "in-between", "dist_wait on that work"),
    ORDER("posted", "before-post", "post", "by dist_all_reduce, in stream 2"),
    ORDER("no-wait", "post", "no-wait", "a tensor that dist_all_reduce still works on"),
    ORDER("waited", "post", "waited", "record an event in stream 2 after that wait"),
    ORDER("broadcast", "broadcast", "behind-broadcast", "writes to a tensor that stream 1 may still be"),
};

Test(order, each_missing_event_is_told, .timeout = 100)
{
    mistakes_make("orders", "DEVICE=sim", missing, sizeof missing / sizeof *missing);
}

Test(order, on_the_host_nothing_is_missing, .timeout = 30)
{
    static const struct mistake none[] = { { "write-write", 0, NULL, { NULL }, NULL, CHECKED },
                                           { "waited", 0, NULL, { NULL }, NULL, "DIST_CHECK=0" } };
    mistakes_make("orders", "DEVICE=host", none, sizeof none / sizeof *none);
}

Test(order, what_is_in_order_is_left_alone, .timeout = 60)
{
    static const struct mistake none[] = { { "", 0, NULL, { NULL }, NULL, CHECKED } };
    setenv("DEVICE", "sim", 1);
    for (int i = 0; i < 3; i++) {
        mistakes_make("orders_kept", "DIST_CONNECT=init", none, 1);
        mistakes_make("orders_kept", "DIST_CONNECT=lazy", none, 1);
    }
}

/* The call is refused once; then the pair is let pass, so that a program that goes on is not told the same for ever. */
Test(order, a_pair_is_told_once, .timeout = 30)
{
    struct started started;
    char said[64];
    snprintf(said, sizeof said, "DIST_ERR_BUFFER at line %d", mistakes_line("orders", "pardoned"));
    STARTED(&started, SETTINGS("DEVICE=sim", CHECKED), "orders", "pardoned");
    cr_assert(started.status == 0 && strstr(started.stderr_text, said) &&
                  strstr(started.stderr_text, "] 1 report\n"),
              "%d: %s", started.status, started.stderr_text);
    STARTED(&started, SETTINGS("DEVICE=sim", CHECKED), "orders", "unread");
    cr_assert(started.status == 0 && strstr(started.stdout_text, "refused \n"), "%d: %s", started.status,
              started.stdout_text);
}
