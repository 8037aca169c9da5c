/* device_program.c: see device_program.h. */
#include "device_steps.h"

#include <stdlib.h>

struct launch_self *test_ranks(void)
{
    static struct launch_self ranks[TEST_RANKS];
    static struct world world;
    if (!world.header && (world_create(&world, TEST_RANKS) != 0 || !world_map_twice(&world)))
        abort();
    for (int i = 0; i < TEST_RANKS; i++) {
        ranks[i].env = (struct launch_env){ .rank = i, .world_size = TEST_RANKS, .local_rank = i };
        ranks[i].world = world;
        ranks[i].threads = true;
    }
    return ranks;
}

static void begin(struct test *test)
{
    struct launch_self *ranks = test_ranks();
    for (int r = 0; r < TEST_RANKS; r++)
        if (test->device->open(&ranks[r], &test->states[r]) != DIST_OK)
            complain(test, device_why(), -1, r);
    for (int s = 0; s < STREAMS && !test->wrong[0]; s++) {
        void *state = test->states[rank_of(s)];
        test->streams[s] = test->device->stream_new(state, s % STREAMS_EACH - 1);
        test->cells[s] = test->device->alloc(state, 8 * CELLS);
        struct kernel ones = {
            .kind = KERNEL_FILL, .type = DIST_I64, .count = CELLS, .value = 1, .out = test->cells[s]
        };
        test->device->launch(test->streams[s], &ones);
        await(test, s);
    }
    for (int e = 0; e < EVENTS && !test->wrong[0]; e++)
        test->events[e] = test->device->event_new(test->states[e / (EVENTS / TEST_RANKS)], e % 2);
}

static void compare(struct test *test, int s)
{
    int64_t *got = test->device->staging(test->states[rank_of(s)], 8 * CELLS);
    await(test, s);
    test->device->copy(test->streams[s], got, test->cells[s], 8 * CELLS, COPY_TO_HOST);
    await(test, s);
    for (int i = 0; i < test->made[s]; i++)
        if (got[1 + i] != test->value[s][i])
            complain(test, "a cell is wrong", s, i);
}

static void end(struct test *test)
{
    for (int g = 0; g < GATES; g++)
        if (test->gates[g]) {
            mark_open(test->gates[g]);
            step_opened(test, g, &(struct point){ .shut = 0 });
        }
    for (int s = 0; s < STREAMS; s++)
        compare(test, s);
    for (int e = 0; e < EVENTS; e++)
        mark_free(test->events[e]);
    for (int s = 0; s < STREAMS; s++)
        test->device->stream_free(test->streams[s]);
    for (int r = 0; r < TEST_RANKS; r++)
        test->device->close(test->states[r]);
}

const char *device_program(const struct device *device, uint64_t seed, int steps)
{
    static struct test test;
    test = (struct test){ .device = device, .random = seed };
    begin(&test);
    for (int i = 0; i < steps && !test.wrong[0]; i++)
        step_make(&test);
    if (test.streams[STREAMS - 1])
        end(&test);
    return test.wrong;
}
