/*
 * dist.h: the calls of torch.distributed, spelled in C. (Longer than our 250 lines: one page that
 * holds every promise beats three to search.)
 *
 * A job is `world_size` ranks that run the same function. Each is a process (or
 * a thread, DIST_RANKS=threads) with memory of its own; they share tensors only
 * by sending them. Optional arguments are named, and default to zero:
 *
 *     dist_all_reduce(x);                                  SUM over all ranks
 *     dist_all_reduce(x, .op = DIST_AVG, .group = g);
 *     dist_work *w = dist_all_reduce(x, .async_op = true);
 *
 * They come after the others, in the order of the call's struct; whoever wants can give the first of them without their
 * names, dist_all_reduce(x, DIST_AVG). In C++ all are given so. tensor.h tells how a call is declared.
 *
 * Ranks in arguments (dst, src) are always ranks of the world, also inside a
 * group. Counts are elements, times are seconds.
 *
 * ERRORS. An error is reported on stderr as one sentence that names the rank,
 * the call, its file and line and what to do; then the process exits with the
 * error's number (dist_base.h). With dist_set_error_handler() the call returns instead:
 * int calls give the negative number, calls that give a pointer NULL; and dist_last_error() the number after any call.
 *
 * THE PROCESS. Calls are made by the rank's program, between init and destroy; what else it may do to its process:
 *   signals       No call may be made in a signal handler. A handler may interrupt any call, with SA_RESTART or without, and a rank
 *                 may be stopped for a while: the call goes on, and so does the job. The library's threads take no signal.
 *   fork          A child makes no call. It may exec a program, end or crash as it likes: the job does not notice.
 *   exit, abort   end the rank at any place (where ranks are threads: all of them), with whatever is open, and the job has
 *                 that status; so let run() return. pthread_exit in it is the same as returning. No calls in atexit handlers.
 *   longjmp       An error handler may leave by longjmp: all is put in order before it is called.
 *   dlopen        The library may be loaded and called at any time; it stays until the process ends, and a library that holds a
 *                 copy of it (libdist.a) must: link that with -z nodelete. Two copies of it in one process are an error
 *                 (DIST_ERR_STATE) where both are called.
 *
 * THREADS. A rank's program may have several threads that call at once (host tensors, the shm backend): sends, receives and
 * works, each with its tensors, and collectives, each thread on a group of its own. Two threads must not call collectives
 * on one group at once (dist_new_group is one of the world), nor wait for one work; tensors are not locked; init and
 * destroy are called while no other thread is in a call. Messages that two threads send or await with one peer, group
 * and tag are in no order. A thread belongs to its process's rank; with DIST_RANKS=threads, to the rank of the thread that
 * started it, whose name it inherits ("rank 0"): a thread of another name gets DIST_ERR_STATE. From the second thread's first
 * call on, short blocking messages take longer. No deadlock is told while a rank has a thread that is not waiting in a
 * call, be it one that never calls (a pool of OpenMP's): it could still send; nor while more than 257 call.
 *
 * DIST_CHECK=1 in the environment also watches tensors while messages need them, refuses one behind whose end something was written (the
 * next call that is given it does), names tensors, groups, streams and events that were never freed, and warns where it was luck which
 * message a receive from anybody got. It sees what the program's own code touches,
 * in any thread, what its streams do in no order, and what calls do; also through slices. It does not see arrays of the program's own, on the stack or
 * from malloc, to which elements were copied, what a system call does (read() into a tensor then fails with EFAULT), nor what runs on
 * a real GPU; and beside a tensor that messages need on one page, on other processors than x86 or after 2000 touches, it lets all
 * pass. It takes SIGSEGV and SIGTRAP for that; what is not its own goes to the handlers that were there. DIST_SHUFFLE=7 has messages
 * come in another order, to try such programs. DIST_REPORT=file.json writes the report, as JSON, to that file too; build/bin/draw
 * draws who waits for whom.
 */
#ifndef DIST_H
#define DIST_H

#define DIST_VERSION "0.1.0"

#include "tensor.h"
#include "dist_streams.h"

#include <stdbool.h>
#include <stdio.h>

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dist_group dist_group; /* NULL is the world */
typedef struct dist_work dist_work;   /* an operation that was started and not yet waited for */

/* ---- starting and ending ------------------------------------------------- */

/* Start `world_size` ranks, each calling run(rank, world_size), and watch over them until all have
 * ended. WORLD_SIZE in the environment replaces world_size. Under torchrun, mpirun or srun it starts
 * nothing and runs this rank. Returns 0, or the exit status of the rank that failed first (128 + the
 * signal's number where a signal ended it). Only the parent returns; a rank exits when run() does.
 * A process that a rank forks is no rank: its end means nothing to the job, and it may not call.
 * SIGTERM, sent to the parent, is passed on to the ranks that catch it, which then have 30 seconds to end by themselves; without such
 * ranks, and with a second one, it ends the job at once, as SIGINT and SIGHUP do. */
int dist_spawn(void (*run)(int rank, int world_size), int world_size);

/* Join the job: waits until every rank has joined. `backend` is "shm" (ranks on one machine), "cuda" (ranks as threads that
 * share GPUs), "nccl" (a GPU for each rank, any number of machines; over several of them without tags and DIST_ANY_SOURCE,
 * and with tensors of GPUs only), "mpi" (processes, over Open MPI or MPICH; reductions may be in another order than by rank)
 * or "gloo" (processes, over Gloo's TCP, any number of machines; that order, too); NULL for $BACKEND, or "shm". The
 * same for all ranks. */
struct dist_init_args {
    struct dist_at at;
    const char *backend;
};
int dist_init_process_group_with(struct dist_init_args args);

/* Leave the job. Waits until every message that this rank has sent was taken; waits for nobody else. Works that were never waited
 * for come to their end here, where all whom they need have called; else they are given up. Both is told, as a note, and is no
 * error; that such a one met a call that does not fit it is (DIST_ERR_MISMATCH). When it returns, the job needs no tensor of this
 * rank any more. */
int dist_destroy_process_group_at(struct dist_at at);

/* The caller's rank in the group (-1: not a member), and how many members the group has. */
struct dist_group_args {
    struct dist_at at;
    dist_group *group;
};
int dist_get_rank_with(struct dist_group_args args);
int dist_get_world_size_with(struct dist_group_args args);

/* A group of `count` different world ranks; their order gives the ranks inside the group. A collective over
 * the world: every rank calls it, with the same list, members or not. Non-members get a group that
 * they can only ask for its size and free. */
dist_group *dist_new_group_at(struct dist_at at, const int *ranks, int count);

/* Give a group back once its last operation was waited for: else it is refused (DIST_ERR_STATE), and the group stays. Messages
 * that were sent and buffered go on. Local: waits for nobody. NULL is fine. */
int dist_group_free_at(struct dist_at at, dist_group *group);

/* ---- point to point ------------------------------------------------------ */

/* send(tensor, dst) returns when the matching receive has taken the data (DIST_BUFFERING=rendezvous, the default), or as
 * soon as a message of up to BYTES is copied aside (DIST_BUFFERING=eager:BYTES). A receive matches a
 * send with the same group and tag from `src`; count and type must agree. Messages between two ranks
 * with one group and tag arrive in the order sent. recv(tensor, src) gives the rank that sent. tag >= 0.
 * isend and irecv: the same, started and not waited for. Leave a tensor that is being sent unchanged, and do not look
 * at one that is being received, until dist_wait has returned or dist_is_completed said so. The transfer goes on
 * meanwhile. With DIST_CHECK=1 in the environment a touch in between is an error (DIST_ERR_BUFFER). */
struct dist_send_args {
    struct dist_at at;
    struct tensor *tensor;
    int dst;
    int tag;
    dist_group *group;
};
struct dist_recv_args {
    struct dist_at at;
    struct tensor *tensor;
    int src;
    int tag;
    dist_group *group;
};
int dist_send_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group);
int dist_recv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group);
dist_work *dist_isend_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group);
dist_work *dist_irecv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group);

/* Here, and not in the library, so that the arguments travel in registers: a small message is over in 0.1 us. */
static inline int dist_send_with(struct dist_send_args a)
{
    return dist_send_from(a.at.file, a.at.line, a.tensor, a.dst, a.tag, a.group);
}
static inline int dist_recv_with(struct dist_recv_args a)
{
    return dist_recv_from(a.at.file, a.at.line, a.tensor, a.src, a.tag, a.group);
}
static inline dist_work *dist_isend_with(struct dist_send_args a)
{
    return dist_isend_from(a.at.file, a.at.line, a.tensor, a.dst, a.tag, a.group);
}
static inline dist_work *dist_irecv_with(struct dist_recv_args a)
{
    return dist_irecv_from(a.at.file, a.at.line, a.tensor, a.src, a.tag, a.group);
}

/* Start several sends and receives together; works[i] is then waited for as usual. All entries are checked first: with an
 * error nothing was started, all works are NULL, and the report names the entry. What goes wrong later, dist_wait tells
 * (without an error handler at once). */
enum dist_p2p_kind { DIST_ISEND = 1, DIST_IRECV };
typedef struct dist_p2p_op {
    enum dist_p2p_kind kind;
    struct tensor *tensor;
    int peer;
    int tag;
    dist_group *group;
} dist_p2p_op;
int dist_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int count, dist_work **works);

/* Wait until a work is done, and give it back: wait once for each work. For a receive the result is the rank
 * that sent, else 0. is_completed does not wait, nor give the work back; asked again, it may do a piece of what is open (a copy, a sum) first. */
int dist_wait_at(struct dist_at at, dist_work *work);
int dist_wait_all_at(struct dist_at at, dist_work **works, int count);
bool dist_is_completed_at(struct dist_at at, dist_work *work);

/* wait_any(works, count): wait until one of several works is done. Its index is the result, of several that are the lowest. That one is waited for (like
 * dist_wait), and works[index] is NULL from then on. Entries that are NULL are passed over; if all are, the result is -1 at
 * once. So this takes them all, as they come:
 *
 *     for (int i; (i = dist_wait_any(works, count)) >= 0;)
 *         use(i);
 *
 * .source = &rank is set to what dist_wait would have given: of a receive the rank that sent. Of tensors on a GPU the host waits.
 * A rank that asks dist_is_completed again and again seems to compute; here it is seen to wait, and a deadlock is told. */
struct dist_wait_any_args {
    struct dist_at at;
    dist_work **works;
    int count;
    int *source;
};
int dist_wait_any_with(struct dist_wait_any_args args);

/* ---- collectives --------------------------------------------------------- *
 *
 * Every member of the group calls the same collectives in the same order, with the same root, reduction,
 * type and counts; anything else is a DIST_ERR_MISMATCH on every member. n is the group's size, r the
 * caller's rank in it; "block i" of a tensor is the i-th of n equal parts, in group rank order.
 * With .async_op = true the call returns a work at once; without, it returns NULL when the caller's
 * part is done, and dist_last_error() tells how it went. Some members may call it so and others with .async_op: it is the same
 * collective. Tensors must not overlap unless the in-place rule of the call
 * allows it.
 */

/* broadcast(tensor): everyone ends with src's tensor. */
struct dist_broadcast_args {
    struct dist_at at;
    struct tensor *tensor;
    int src;
    dist_group *group;
    bool async_op;
};
dist_work *dist_broadcast_with(struct dist_broadcast_args args);

/* reduce(tensor): dst's tensor becomes the reduction of all; the others keep theirs. */
struct dist_reduce_args {
    struct dist_at at;
    struct tensor *tensor;
    int dst;
    enum dist_op op;
    dist_group *group;
    bool async_op;
};
dist_work *dist_reduce_with(struct dist_reduce_args args);

/* all_reduce(tensor): every tensor becomes the reduction of all. */
struct dist_all_reduce_args {
    struct dist_at at;
    struct tensor *tensor;
    enum dist_op op;
    dist_group *group;
    bool async_op;
};
dist_work *dist_all_reduce_with(struct dist_all_reduce_args args);

/* scatter(output, input): `output` becomes block r of src's `input` (n x as many elements; NULL on the others).
 * gather(input, output): dst's `output` (n x as many elements; NULL on the others) becomes all inputs, in rank order.
 * In place: the root's small tensor may be its own block of the big one. */
struct dist_scatter_args {
    struct dist_at at;
    tensor *output;
    tensor *input;
    int src;
    dist_group *group;
    bool async_op;
};
struct dist_gather_args {
    struct dist_at at;
    tensor *input;
    tensor *output;
    int dst;
    dist_group *group;
    bool async_op;
};
dist_work *dist_scatter_with(struct dist_scatter_args args);
dist_work *dist_gather_with(struct dist_gather_args args);

/* all_gather(output, input): everyone's output (n x input's elements) holds all inputs, in rank order.
 * In place: input may be block r of output. */
struct dist_exchange_args {
    struct dist_at at;
    tensor *output;
    tensor *input;
    dist_group *group;
    bool async_op;
};
dist_work *dist_all_gather_with(struct dist_exchange_args args);

/* all_to_all(output, input): block i of output comes from member i, block r of its input. Same size both.
 * With splits, as in torch's all_to_all_single, blocks have any length, also 0, and output may be larger or smaller than input:
 * input_splits[i] elements of input go to member i, output_splits[i] elements of output come from it, one block behind the other.
 * Each is an array of n counts of elements that add up to its tensor; NULL: n equal blocks. Members that give one or both
 * only meet members that do. My input_splits[i] must be member i's output_splits[r]: else all have a DIST_ERR_MISMATCH. The
 * arrays are copied. */
struct dist_all_to_all_args {
    struct dist_at at;
    tensor *output;
    tensor *input;
    dist_group *group;
    bool async_op;
    const int64_t *input_splits;
    const int64_t *output_splits;
};
dist_work *dist_all_to_all_with(struct dist_all_to_all_args args);

/* reduce_scatter(output, input): output becomes block r of the reduction of all inputs (n x output's elements).
 * In place: output may be block r of input. */
struct dist_reduce_scatter_args {
    struct dist_at at;
    tensor *output;
    tensor *input;
    enum dist_op op;
    dist_group *group;
    bool async_op;
};
dist_work *dist_reduce_scatter_with(struct dist_reduce_scatter_args args);

/* Nobody leaves before everybody has come. monitored_barrier gives up after `timeout` seconds (0: 30) and names
 * the ranks that did not come (DIST_ERR_TIMEOUT), to all members, also to those who come after that; the group is of no more
 * use then. */
struct dist_barrier_args {
    struct dist_at at;
    dist_group *group;
    bool async_op;
};
dist_work *dist_barrier_with(struct dist_barrier_args args);
struct dist_monitored_barrier_args {
    struct dist_at at;
    dist_group *group;
    double timeout;
};
int dist_monitored_barrier_with(struct dist_monitored_barrier_args args);

/* ---- pictures of a run ------------------------------------------------------ */

/* With DIST_TRACE=run.json in the environment a run is written down as it happens, call by call, and the file is there when
 * it has ended (README, "See what your program did"). dist_span names what a block computes:
 *
 *     dist_span("forward %d", i) {
 *         tensor_matmul(y, x, w);
 *     }
 *
 * Spans may lie inside each other. Without DIST_TRACE they do nothing. Do not leave one with break or return: it would
 * seem to last until the span around it ends. */
#define dist_span(...) \
    for (struct dist_span_mark dist_span_here = dist_span_begin(DIST_AT, __VA_ARGS__); \
         dist_span_here.inside; dist_span_end(&dist_span_here))
struct dist_span_mark {
    bool inside;
    int depth;
};
struct dist_span_mark dist_span_begin(struct dist_at at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void dist_span_end(struct dist_span_mark *mark);

/* ---- errors -------------------------------------------------------------- */

/* What went wrong, as a handler sees it. The strings live until the handler returns. */
struct dist_report {
    enum dist_error error;
    int rank;             /* -1: outside a job */
    const char *call;     /* "dist_send" */
    struct dist_at at;    /* where in the caller's source */
    const char *sentence; /* the whole report, one line */
};

/* From now on errors of this rank call `handler` and the call returns; NULL brings back the default, which
 * prints the sentence and exits. `context` is handed through. A rank that goes on after DIST_ERR_MISMATCH
 * may use other groups and peers; the operation that failed is over on both sides. */
typedef void dist_error_handler(const struct dist_report *report, void *context);
void dist_set_error_handler(dist_error_handler *handler, void *context);

/* How the calling thread's last dist_ call went, for programs with such a handler: 0, or the negative number of the first error
 * that was reported since it began.
 *
 *     dist_all_reduce(x);
 *     if (dist_last_error() == -DIST_ERR_MISMATCH) ...
 *
 * (Like ncclGetLastError and errno: a collective gives a work, which a blocking one has no more, and one name for both forms
 * is worth more than a result. Unlike errno it is 0 after a call that went well. Where the tensor lies on a GPU, blocking
 * calls have only been started; the rest is told where somebody waits.) */
int dist_last_error(void);

/* Seconds on a clock that only goes forward, for measuring. */
double dist_time(void);

#ifdef __cplusplus
}

/* The same in C++17, C++20 and CUDA, which have no compound literals. DIST_CPP says how a call is made, and what it calls:
 *
 *     tensor *x = tensor_full(DIST_F32, rank + 1, 2, 3);
 *     dist_all_reduce(x, DIST_AVG);                        optional arguments by position: op, group, async_op
 *     dist_work *w = dist_broadcast(x, 0, nullptr, true);  src, group, async_op
 *
 * The last argument is the caller's place: leave it out. dist_span and tensor_print are macros here, too: the first is a loop, and the
 * second's words are checked like printf's. */
DIST_CPP(int dist_init_process_group(const char *backend = nullptr, DIST_CALLER),
         dist_init_process_group_with({ at, backend }))
DIST_CPP(int dist_destroy_process_group(DIST_CALLER), dist_destroy_process_group_at(at))
DIST_CPP(int dist_get_rank(dist_group *group = nullptr, DIST_CALLER), dist_get_rank_with({ at, group }))
DIST_CPP(int dist_get_world_size(dist_group *group = nullptr, DIST_CALLER),
         dist_get_world_size_with({ at, group }))
DIST_CPP(dist_group *dist_new_group(const int *ranks, int count, DIST_CALLER),
         dist_new_group_at(at, ranks, count))
DIST_CPP(int dist_group_free(dist_group *group, DIST_CALLER), dist_group_free_at(at, group))
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

#else

/* Adds 0. Where the arguments after the tensor are missing, it is the compiler's error that says so: else they would be 0. */
#define DIST_NEEDS(words, ...) \
    +0 * (int)sizeof(struct { \
        _Static_assert(sizeof(#__VA_ARGS__) > 1, words); \
        int nothing; \
    })
#define DIST_ARGS_WITH(name, words, first, ...) \
    ((struct name){ .at = { __FILE__, __LINE__ DIST_NEEDS(words, __VA_ARGS__) }, first, __VA_ARGS__ })

#define dist_init_process_group(...) dist_init_process_group_with(DIST_ARGS(dist_init_args, __VA_ARGS__))
#define dist_destroy_process_group() dist_destroy_process_group_at(DIST_AT)
#define dist_get_rank(...) dist_get_rank_with(DIST_ARGS(dist_group_args, __VA_ARGS__))
#define dist_get_world_size(...) dist_get_world_size_with(DIST_ARGS(dist_group_args, __VA_ARGS__))
#define dist_new_group(...) dist_new_group_at(DIST_AT, __VA_ARGS__)
#define dist_group_free(...) dist_group_free_at(DIST_AT, __VA_ARGS__)
#define dist_send(t, ...) \
    dist_send_with( \
        DIST_ARGS_WITH(dist_send_args, "dist_send(tensor, dst): dst is missing", .tensor = t, __VA_ARGS__))
#define dist_recv(t, ...) \
    dist_recv_with( \
        DIST_ARGS_WITH(dist_recv_args, "dist_recv(tensor, src): src is missing", .tensor = t, __VA_ARGS__))
#define dist_isend(t, ...) \
    dist_isend_with( \
        DIST_ARGS_WITH(dist_send_args, "dist_isend(tensor, dst): dst is missing", .tensor = t, __VA_ARGS__))
#define dist_irecv(t, ...) \
    dist_irecv_with( \
        DIST_ARGS_WITH(dist_recv_args, "dist_irecv(tensor, src): src is missing", .tensor = t, __VA_ARGS__))
#define dist_batch_isend_irecv(...) dist_batch_isend_irecv_at(DIST_AT, __VA_ARGS__)
#define dist_wait(...) dist_wait_at(DIST_AT, __VA_ARGS__)
#define dist_wait_all(...) dist_wait_all_at(DIST_AT, __VA_ARGS__)
#define dist_is_completed(...) dist_is_completed_at(DIST_AT, __VA_ARGS__)
#define dist_wait_any(w, ...) \
    dist_wait_any_with(DIST_ARGS_WITH(dist_wait_any_args, "dist_wait_any(works, count): count is missing", \
                                      .works = w, __VA_ARGS__))
#define dist_broadcast(...) dist_broadcast_with(DIST_ARGS(dist_broadcast_args, .tensor = __VA_ARGS__))
#define dist_reduce(...) dist_reduce_with(DIST_ARGS(dist_reduce_args, .tensor = __VA_ARGS__))
#define dist_all_reduce(...) dist_all_reduce_with(DIST_ARGS(dist_all_reduce_args, .tensor = __VA_ARGS__))
#define dist_scatter(...) dist_scatter_with(DIST_ARGS(dist_scatter_args, .output = __VA_ARGS__))
#define dist_gather(...) dist_gather_with(DIST_ARGS(dist_gather_args, .input = __VA_ARGS__))
#define dist_all_gather(...) dist_all_gather_with(DIST_ARGS(dist_exchange_args, .output = __VA_ARGS__))
#define dist_all_to_all(...) dist_all_to_all_with(DIST_ARGS(dist_all_to_all_args, .output = __VA_ARGS__))
#define dist_reduce_scatter(...) \
    dist_reduce_scatter_with(DIST_ARGS(dist_reduce_scatter_args, .output = __VA_ARGS__))
#define dist_barrier(...) dist_barrier_with(DIST_ARGS(dist_barrier_args, __VA_ARGS__))
#define dist_monitored_barrier(...) \
    dist_monitored_barrier_with(DIST_ARGS(dist_monitored_barrier_args, __VA_ARGS__))

#endif

#endif
