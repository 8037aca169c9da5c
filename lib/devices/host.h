/*
 * host.h: the host as a device: memory that peers can reach, and the few kernels that work on it.
 */
#ifndef DEVICES_HOST_H
#define DEVICES_HOST_H

#include "../dtype.h"
#include "../launch/launch.h"

/* Page-aligned memory from the rank's arena. Pages once touched are
 * used again: a fresh shared page costs ten times the copy that fills it. NULL: arena or memory is full.
 * bytes = 0 gives an address that is valid but must not be read. */
void *host_alloc(struct launch_self *self, size_t bytes);
void host_free(struct launch_self *self, void *memory);

/* out[i] = in[0][i] op in[1][i] op ... in that order; F16 and BF16 are combined in F32 and rounded once, AVG
 * divides once at the end (integers toward zero; integer sums and products wrap, but no average of U8 and I32; MIN and MAX are
 * those of host_ends.h). out may be one of the
 * inputs, but must not overlap one in part. inputs >= 1. */
void host_reduce(void *out, const void *const *in, int inputs, int64_t count, enum dist_type type,
                 enum dist_op op);

/* The same for the last of several parts: in[0] holds what the parts before have given, of `ways` inputs in all, by which
 * AVG divides. */
void host_reduce_part(void *out, const void *const *in, int inputs, int ways, int64_t count,
                      enum dist_type type, enum dist_op op);

/* memcpy for tensors. Regions do not overlap (but may be the same, which copies nothing). What outgrows the caches is
 * written past them; host_copy_past is for parts of such an operation, and host_outgrows_caches says whether one that reads
 * and writes so many bytes in all, on all ranks, does. */
void host_copy(void *to, const void *from, size_t bytes);
void host_copy_past(void *to, const void *from, size_t bytes);
bool host_outgrows_caches(size_t bytes);

/* One source to several targets (one of which may be the source): it is read once. */
void host_spread(void *const *to, int copies, const void *from, size_t bytes, bool past);

/* host_reduce, with the result written to several targets, each of which may be one of the inputs. Both lists of addresses
 * are moved on while it goes. */
void host_reduce_spread(void **to, int copies, const void **in, int inputs, int64_t count,
                        enum dist_type type, enum dist_op op, bool past);

#endif
