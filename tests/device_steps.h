/*
 * device_steps.h: the random steps of device_program.c, and what they keep.
 */
#ifndef TESTS_DEVICE_STEPS_H
#define TESTS_DEVICE_STEPS_H

#include "device_program.h"

#define STREAMS_EACH 3 /* a rank's: the backend's, and two of the program's */
#define STREAMS (TEST_RANKS * STREAMS_EACH)
#define EVENTS 12
#define GATES 16
#define CELLS 4000
#define INPUTS 3

/* `knows`: of each stream, how many of its cells come before this point. `shut`: the gates that stand before it and
 * that nothing opens yet, one bit each. */
struct point {
    int knows[STREAMS];
    unsigned shut;
};

struct test {
    const struct device *device;
    uint64_t random;
    void *states[TEST_RANKS];
    struct stream *streams[STREAMS];
    struct point at[STREAMS];
    struct event *events[EVENTS];
    struct point marked[EVENTS];
    struct event *gates[GATES]; /* NULL: free */
    int made[STREAMS];          /* cells, of each stream */
    int64_t value[STREAMS][CELLS];
    char *cells[STREAMS]; /* device memory */
    char wrong[200];
};

static inline int rank_of(int stream)
{
    return stream / STREAMS_EACH;
}

/* Make one step in a stream; or say what went wrong, if nothing was said before. */
void step_make(struct test *test);
void complain(struct test *test, const char *what, int stream, int cell);

/* A gate is opened, behind that point of a stream. */
void step_opened(struct test *test, int gate, const struct point *by);

/* The host waits for a stream. */
void await(const struct test *test, int stream);

#endif
