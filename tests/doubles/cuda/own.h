/* own.h: for suites: a kernel of the program's own, on the double of CUDA. */
#ifndef DOUBLE_OWN_H
#define DOUBLE_OWN_H

#include <stdint.h>

/* A kernel that is this function: it is done in its stream's hardware queue, which it holds up as long as it takes. */
void own_launch(void *stream, void (*function)(void *), void *argument);

/* Put into that stream: each element becomes value * factor + more. It takes its time. */
void own_kernel(void *stream, void *floats, int64_t count, float factor, float more);

/* That memory of a GPU, as only kernels see it. */
void *own_memory(const void *memory);

/* What was asked of CUDA: a stream's priority, where less is more; and how many events that tell the time. */
int own_priority(const void *stream);
int own_timed_events(void);

/* How many were put in, and are not over. */
int own_pending(void);

#endif
