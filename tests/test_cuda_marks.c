/*
 * test_cuda_marks.c: who waits for a mark waits for that one, even if its event was put elsewhere since. On the double of CUDA, which
 * can hold up a stream: one is slow here, and the quick one beside it must not let go who waits for the slow one.
 */
#define _GNU_SOURCE
#include "device_program.h"
#include "doubles/cuda/held.h"

#include <criterion/criterion.h>
#include <unistd.h>

/* The slow one and the quick one are of one GPU, and in two of its queues; another GPU waits. */
static const struct device *const device = &device_cuda;
static void *states[2];
static struct stream *slow, *quick, *waits;

static void set_up(void)
{
    for (int i = 0; i < 2; i++)
        cr_assert_eq(device->open(&test_ranks()[i], &states[i]), DIST_OK, "%s", device_why());
    slow = device->stream_new(states[0], 0);
    quick = device->stream_new(states[0], 1);
    waits = device->stream_new(states[1], 0);
    held_up(slow);
}

static void tear_down(void)
{
    for (int i = 0; i < 2; i++)
        device->close(states[i]);
}

TestSuite(cuda_marks, .timeout = 60, .init = set_up, .fini = tear_down);

/* It does not pass before the slow one; then it does. */
static void expect_order(void)
{
    for (int i = 0; i < 200; i++, usleep(100))
        if (device->stream_passed(waits)) {
            held_release();
            cr_assert_fail("it has not waited for the mark in the slow stream");
        }
    held_release();
    while (!device->stream_passed(waits))
        usleep(10);
}

static void put_elsewhere(struct event *event, struct event *gate)
{
    mark_record(event, slow);
    if (gate)
        mark_follow(gate, waits);
    mark_follow(event, waits);
    mark_record(event, quick);
    if (gate)
        mark_open(gate);
    expect_order();
    mark_free(event);
}

Test(cuda_marks, an_event_that_was_recorded_again)
{
    put_elsewhere(device->event_new(states[0], false), NULL);
}

/* Then CUDA has not been told yet to wait, and learns of the event when it is elsewhere. */
Test(cuda_marks, an_event_that_was_recorded_again_while_a_gate_held_its_follower)
{
    struct event *gate = device->gate_new(states[0]);
    put_elsewhere(device->event_new(states[0], false), gate);
    mark_free(gate);
}

/* The event of a gate that is gone is the next gate's. */
Test(cuda_marks, the_event_of_a_gate_that_was_freed)
{
    for (int i = 0; i < 2; i++) {
        struct event *gate = device->gate_new(states[0]);
        mark_open_behind(gate, i ? quick : slow);
        if (i == 0)
            mark_follow(gate, waits);
        mark_free(gate);
    }
    expect_order();
}
