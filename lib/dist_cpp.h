/*
 * dist_cpp.h: the same calls in C++17, C++20 and CUDA. dist.h includes it; a program includes only that.
 *
 *     tensor *x = tensor_full(DIST_F32, rank + 1, 2, 3);
 *     dist_all_reduce(x, DIST_AVG);                        optional arguments by position: op, group, async_op
 *     dist_work *w = dist_broadcast(x, 0, nullptr, true);  src, group, async_op
 *
 * C++ has no compound literals, so the macros of dist.h, tensor.h and dist_streams.h cannot be used there. Behind each name
 * stands a function, here and in dist_cpp_tensor.h and dist_cpp_streams.h: DIST_CPP says how it is called, and what it calls. Its
 * last argument is the caller's place: leave it out. dist_span and tensor_print are macros here, too: the first is a loop, and the
 * second's words are checked like printf's.
 */
#ifndef DIST_CPP_H
#define DIST_CPP_H

#include "dist.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

/* ---- starting and ending --------------------------------------------------- */

DIST_CPP(int dist_init_process_group(const char *backend = nullptr, DIST_CALLER),
         dist_init_process_group_with({ at, backend }))
DIST_CPP(int dist_destroy_process_group(DIST_CALLER), dist_destroy_process_group_at(at))
DIST_CPP(int dist_get_rank(dist_group *group = nullptr, DIST_CALLER), dist_get_rank_with({ at, group }))
DIST_CPP(int dist_get_world_size(dist_group *group = nullptr, DIST_CALLER),
         dist_get_world_size_with({ at, group }))
DIST_CPP(dist_group *dist_new_group(const int *ranks, int count, DIST_CALLER),
         dist_new_group_at(at, ranks, count))
DIST_CPP(int dist_group_free(dist_group *group, DIST_CALLER), dist_group_free_at(at, group))

/* ---- point to point -------------------------------------------------------- */

DIST_CPP(int dist_send(tensor *t, int dst, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_send_from(at.file, at.line, t, dst, tag, group))
DIST_CPP(int dist_recv(tensor *t, int src, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_recv_from(at.file, at.line, t, src, tag, group))
DIST_CPP(dist_work *dist_isend(tensor *t, int dst, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_isend_from(at.file, at.line, t, dst, tag, group))
DIST_CPP(dist_work *dist_irecv(tensor *t, int src, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_irecv_from(at.file, at.line, t, src, tag, group))
DIST_CPP(int dist_batch_isend_irecv(const dist_p2p_op *ops, int count, dist_work **works, DIST_CALLER),
         dist_batch_isend_irecv_at(at, ops, count, works))
DIST_CPP(int dist_wait(dist_work *work, DIST_CALLER), dist_wait_at(at, work))
DIST_CPP(int dist_wait_all(dist_work **works, int count, DIST_CALLER), dist_wait_all_at(at, works, count))
DIST_CPP(int dist_wait_any(dist_work **works, int count, int *source = nullptr, DIST_CALLER),
         dist_wait_any_with({ at, works, count, source }))
DIST_CPP(bool dist_is_completed(dist_work *work, DIST_CALLER), dist_is_completed_at(at, work))

/* ---- collectives ----------------------------------------------------------- */

DIST_CPP(dist_work *dist_broadcast(tensor *t, int src = 0, dist_group *group = nullptr, bool async_op = false,
                                   DIST_CALLER),
         dist_broadcast_with({ at, t, src, group, async_op }))
DIST_CPP(dist_work *dist_reduce(tensor *t, int dst = 0, dist_op op = DIST_SUM, dist_group *group = nullptr,
                                bool async_op = false, DIST_CALLER),
         dist_reduce_with({ at, t, dst, op, group, async_op }))
DIST_CPP(dist_work *dist_all_reduce(tensor *t, dist_op op = DIST_SUM, dist_group *group = nullptr,
                                    bool async_op = false, DIST_CALLER),
         dist_all_reduce_with({ at, t, op, group, async_op }))
DIST_CPP(dist_work *dist_scatter(tensor *output, tensor *input = nullptr, int src = 0,
                                 dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_scatter_with({ at, output, input, src, group, async_op }))
DIST_CPP(dist_work *dist_gather(tensor *input, tensor *output = nullptr, int dst = 0,
                                dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_gather_with({ at, input, output, dst, group, async_op }))
DIST_CPP(dist_work *dist_all_gather(tensor *output, tensor *input, dist_group *group = nullptr,
                                    bool async_op = false, DIST_CALLER),
         dist_all_gather_with({ at, output, input, group, async_op }))
DIST_CPP(dist_work *dist_all_to_all(tensor *output, tensor *input, dist_group *group = nullptr,
                                    bool async_op = false, const int64_t *input_splits = nullptr,
                                    const int64_t *output_splits = nullptr, DIST_CALLER),
         dist_all_to_all_with({ at, output, input, group, async_op, input_splits, output_splits }))
DIST_CPP(dist_work *dist_reduce_scatter(tensor *output, tensor *input, dist_op op = DIST_SUM,
                                        dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_reduce_scatter_with({ at, output, input, op, group, async_op }))
DIST_CPP(dist_work *dist_barrier(dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_barrier_with({ at, group, async_op }))
DIST_CPP(int dist_monitored_barrier(dist_group *group = nullptr, double timeout = 0, DIST_CALLER),
         dist_monitored_barrier_with({ at, group, timeout }))

#endif
