/*
 * reference.h: what the answers must be, worked out the slow and plain way.
 *
 * It shares no line with the library: a mistake would have to be made twice to go unseen.
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include "dist.h"

#define REF_TYPES 7
#define REF_OPS 5

size_t ref_bytes(enum dist_type type); /* of one element */
const char *ref_type_name(enum dist_type type);
const char *ref_op_name(enum dist_op op);

/* The next number of a sequence that the seed decides; below: from 0 to limit - 1. */
uint64_t ref_random(uint64_t *state);
int64_t ref_below(uint64_t *state, int64_t limit);

/* Random elements. Integers use their whole range; floats have a size from 0.5 to 2 and either sign, so
 * a product of many neither overflows nor vanishes, and no result is NaN. */
void ref_fill(enum dist_type type, void *array, int64_t count, uint64_t seed);

/* out[i] = in[0][i] op in[1][i] op ..., one after the other: F16 and BF16 in F32 and rounded once, integers wrap
 * in their own type, AVG divides once at the end, integers toward zero. */
void ref_reduce(enum dist_type type, enum dist_op op, void *out, const void *const *in, int inputs,
                int64_t count);

/* Set for NCCL: what AVG divides is the sum of integers as it has wrapped in their type. */
extern bool ref_narrow_averages;

/* The first element whose bits differ; -1: none. */
int64_t ref_difference(enum dist_type type, const void *a, const void *b, int64_t count);

/* The first element further from the reduction of so many inputs (ref_fill) than another order of adding, rounded at every step, can
 * bring it; -1: none. MIN, MAX and integers have no such excuse. */
int64_t ref_far_off(enum dist_type type, enum dist_op op, int inputs, const void *a, const void *reduced,
                    int64_t count);

/* Element i, rounded to a double; and written, rounded to the type. */
double ref_item(enum dist_type type, const void *array, int64_t i);
void ref_store(enum dist_type type, void *array, int64_t i, double value);

#endif
