/*
 * device_program.h: a random program for the streams of a device, whose answer does not depend on how quick they are.
 *
 * Every kernel writes a cell of its own: one more than the sum of some cells that come before it for certain, because a
 * stream's order, an event or a gate says so. If the device keeps that order, each cell is what the host worked out.
 */
#ifndef TESTS_DEVICE_PROGRAM_H
#define TESTS_DEVICE_PROGRAM_H

#include "devices/device.h"

#define TEST_RANKS 3

/* Some ranks in this process, as dist_spawn makes them with DIST_RANKS=threads; here one thread plays all of them. */
struct launch_self *test_ranks(void);

/* Open the device for them, run `steps` random steps, compare, and close it. Gives what went wrong; "": nothing. */
const char *device_program(const struct device *device, uint64_t seed, int steps);

#endif
