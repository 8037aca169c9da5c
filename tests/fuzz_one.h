/* fuzz_one.h: what a fuzzer does with one input. */
#ifndef FUZZ_ONE_H
#define FUZZ_ONE_H

#include <stddef.h>

/* Read the bytes as a trace, then as a report, and draw every picture of them. True: one of the two was understood. A
 * refusal without a sentence, or with one of several lines, aborts. */
int fuzz_one(const void *bytes, size_t size);

#endif
