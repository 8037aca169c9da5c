/*
 * dist_cpp.h: the same calls in C++17, C++20 and CUDA. dist.h includes it; a program includes only that.
 *
 *     tensor *x = tensor_full(DIST_F32, rank + 1, 2, 3);
 *     dist_all_reduce(x, DIST_AVG);                        optional arguments by position: op, group, async_op
 *     dist_work *w = dist_broadcast(x, 0, nullptr, true);  src, group, async_op
 *
 * C++ has no compound literals, so the macros of dist.h, tensor.h and dist_streams.h cannot be used there. Behind each name
 * stands a function, here and in dist_cpp_tensor.h and dist_cpp_streams.h: DIST_CPP says how it is called, and what it calls. Its
 * last two arguments are the caller's place: leave them out. dist_span and tensor_print stay macros: the first is a loop, and the
 * second's words are checked like printf's. What a call does is told where its macro is.
 */
#ifndef DIST_CPP_H
#define DIST_CPP_H

#include "dist.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

/* ---- starting and ending --------------------------------------------------- */

#undef dist_init_process_group
DIST_CPP(int dist_init_process_group(const char *backend = nullptr, DIST_CALLER),
         dist_init_process_group_with({ { file, line }, backend }))
#undef dist_destroy_process_group
DIST_CPP(int dist_destroy_process_group(DIST_CALLER), dist_destroy_process_group_at({ file, line }))
#undef dist_get_rank
DIST_CPP(int dist_get_rank(dist_group *group = nullptr, DIST_CALLER),
         dist_get_rank_with({ { file, line }, group }))
#undef dist_get_world_size
DIST_CPP(int dist_get_world_size(dist_group *group = nullptr, DIST_CALLER),
         dist_get_world_size_with({ { file, line }, group }))
#undef dist_new_group
DIST_CPP(dist_group *dist_new_group(const int *ranks, int count, DIST_CALLER),
         dist_new_group_at({ file, line }, ranks, count))
#undef dist_group_free
DIST_CPP(int dist_group_free(dist_group *group, DIST_CALLER), dist_group_free_at({ file, line }, group))

/* ---- point to point -------------------------------------------------------- */

#undef dist_send
DIST_CPP(int dist_send(tensor *t, int dst, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_send_from(file, line, t, dst, tag, group))
#undef dist_recv
DIST_CPP(int dist_recv(tensor *t, int src, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_recv_from(file, line, t, src, tag, group))
#undef dist_isend
DIST_CPP(dist_work *dist_isend(tensor *t, int dst, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_isend_from(file, line, t, dst, tag, group))
#undef dist_irecv
DIST_CPP(dist_work *dist_irecv(tensor *t, int src, int tag = 0, dist_group *group = nullptr, DIST_CALLER),
         dist_irecv_from(file, line, t, src, tag, group))
#undef dist_batch_isend_irecv
DIST_CPP(int dist_batch_isend_irecv(const dist_p2p_op *ops, int count, dist_work **works, DIST_CALLER),
         dist_batch_isend_irecv_at({ file, line }, ops, count, works))
#undef dist_wait
DIST_CPP(int dist_wait(dist_work *work, DIST_CALLER), dist_wait_at({ file, line }, work))
#undef dist_wait_all
DIST_CPP(int dist_wait_all(dist_work **works, int count, DIST_CALLER),
         dist_wait_all_at({ file, line }, works, count))
#undef dist_wait_any
DIST_CPP(int dist_wait_any(dist_work **works, int count, int *source = nullptr, DIST_CALLER),
         dist_wait_any_with({ { file, line }, works, count, source }))
#undef dist_is_completed
DIST_CPP(bool dist_is_completed(dist_work *work, DIST_CALLER), dist_is_completed_at({ file, line }, work))

/* ---- collectives ----------------------------------------------------------- */

#undef dist_broadcast
DIST_CPP(dist_work *dist_broadcast(tensor *t, int src = 0, dist_group *group = nullptr, bool async_op = false,
                                   DIST_CALLER),
         dist_broadcast_with({ { file, line }, t, src, group, async_op }))
#undef dist_reduce
DIST_CPP(dist_work *dist_reduce(tensor *t, int dst = 0, dist_op op = DIST_SUM, dist_group *group = nullptr,
                                bool async_op = false, DIST_CALLER),
         dist_reduce_with({ { file, line }, t, dst, op, group, async_op }))
#undef dist_all_reduce
DIST_CPP(dist_work *dist_all_reduce(tensor *t, dist_op op = DIST_SUM, dist_group *group = nullptr,
                                    bool async_op = false, DIST_CALLER),
         dist_all_reduce_with({ { file, line }, t, op, group, async_op }))
#undef dist_scatter
DIST_CPP(dist_work *dist_scatter(tensor *output, tensor *input = nullptr, int src = 0,
                                 dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_scatter_with({ { file, line }, output, input, src, group, async_op }))
#undef dist_gather
DIST_CPP(dist_work *dist_gather(tensor *input, tensor *output = nullptr, int dst = 0,
                                dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_gather_with({ { file, line }, input, output, dst, group, async_op }))
#undef dist_all_gather
DIST_CPP(dist_work *dist_all_gather(tensor *output, tensor *input, dist_group *group = nullptr,
                                    bool async_op = false, DIST_CALLER),
         dist_all_gather_with({ { file, line }, output, input, group, async_op }))
#undef dist_all_to_all
DIST_CPP(
    dist_work *dist_all_to_all(tensor *output, tensor *input, dist_group *group = nullptr,
                               bool async_op = false, const int64_t *input_splits = nullptr,
                               const int64_t *output_splits = nullptr, DIST_CALLER),
    dist_all_to_all_with({ { file, line }, output, input, group, async_op, input_splits, output_splits }))
#undef dist_reduce_scatter
DIST_CPP(dist_work *dist_reduce_scatter(tensor *output, tensor *input, dist_op op = DIST_SUM,
                                        dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_reduce_scatter_with({ { file, line }, output, input, op, group, async_op }))
#undef dist_barrier
DIST_CPP(dist_work *dist_barrier(dist_group *group = nullptr, bool async_op = false, DIST_CALLER),
         dist_barrier_with({ { file, line }, group, async_op }))
#undef dist_monitored_barrier
DIST_CPP(int dist_monitored_barrier(dist_group *group = nullptr, double timeout = 0, DIST_CALLER),
         dist_monitored_barrier_with({ { file, line }, group, timeout }))

#endif
