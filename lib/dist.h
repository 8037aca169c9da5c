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
 * Ranks in arguments (dst, src) are always ranks of the world, also inside a
 * group. Counts are elements, times are seconds.
 *
 * ERRORS. An error is reported on stderr as one sentence that names the rank,
 * the call, its file and line and what to do; then the process exits with the
 * error's number below. With dist_set_error_handler() the call returns instead:
 * int calls give the negative number, calls that give a pointer NULL.
 *
 * DIST_CHECK=1 in the environment also watches tensors while messages need them, and names what was never freed.
 * DIST_REPORT=file.json writes the report, as JSON, to that file too, and draws who waits for whom beside it.
 */
#ifndef DIST_H
#define DIST_H

#include "tensor.h"
#include "dist_streams.h"

#include <stdbool.h>
#include <stdio.h>

/* Reductions. F16 and BF16 are added up in F32 and rounded once. AVG of integers rounds
 * toward zero. Elements are combined in rank order, so every rank gets the same bits. (With DIST_ALGORITHM=tree, ring
 * or halving an all_reduce is done by messages, in another order and rounded more often: still the same bits on all.) */
enum dist_op { DIST_SUM, DIST_AVG, DIST_PRODUCT, DIST_MIN, DIST_MAX };

#define DIST_ANY_SOURCE (-1) /* as src of a receive: whoever sends first */

/* What can go wrong; each number is also the exit status of the program. */
enum dist_error {
    DIST_OK = 0,
    DIST_ERR_ARGUMENT = 40,    /* an argument that cannot be right: a rank out of range, a NULL tensor */
    DIST_ERR_STATE = 41,       /* before init, after destroy, a work waited for twice */
    DIST_ERR_MISMATCH = 42,    /* two ranks disagree: size, type, collective, root, reduction */
    DIST_ERR_PEER_LOST = 43,   /* another rank ended while it was still needed */
    DIST_ERR_TIMEOUT = 44,     /* monitored_barrier: a rank did not come in time */
    DIST_ERR_DEADLOCK = 45,    /* no rank can ever move again */
    DIST_ERR_ENVIRONMENT = 46, /* a variable such as WORLD_SIZE, BACKEND or DIST_RANKS makes no sense */
    DIST_ERR_MEMORY = 47,      /* no memory left for a tensor or a group */
    DIST_ERR_SYSTEM = 48,      /* the operating system refused something */
    DIST_ERR_BUFFER = 49       /* DIST_CHECK=1: a tensor was touched while a message still needed it */
};

typedef struct dist_group dist_group; /* NULL is the world */
typedef struct dist_work dist_work;   /* an operation that was started and not yet waited for */

/* ---- starting and ending ------------------------------------------------- */

/* Start `world_size` ranks, each calling run(rank, world_size), and watch over them until all have
 * ended. WORLD_SIZE in the environment replaces world_size. Under torchrun, mpirun or srun it starts
 * nothing and runs this rank. Returns 0, or the exit status of the rank that failed first (128 + the
 * signal's number where a signal ended it). Only the parent returns; a rank exits when run() does. */
int dist_spawn(void (*run)(int rank, int world_size), int world_size);

/* Join the job: waits until every rank has joined. `backend` is "shm" (ranks on one machine), "cuda" (ranks as threads that
 * share GPUs) or "nccl" (a GPU for each rank, any number of machines; over several of them without tags and DIST_ANY_SOURCE,
 * and with tensors of GPUs only); NULL for $BACKEND, or "shm". */
#define dist_init_process_group(...) \
    dist_init_process_group_with((struct dist_init_args){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
struct dist_init_args {
    struct dist_at at;
    const char *backend;
};
int dist_init_process_group_with(struct dist_init_args args);

/* Leave the job. Waits until every message that this rank has sent was taken; waits for nobody else. */
#define dist_destroy_process_group() dist_destroy_process_group_at(DIST_AT)
int dist_destroy_process_group_at(struct dist_at at);

/* The caller's rank in the group (-1: not a member), and how many members the group has. */
#define dist_get_rank(...) \
    dist_get_rank_with((struct dist_group_args){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
#define dist_get_world_size(...) \
    dist_get_world_size_with((struct dist_group_args){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
struct dist_group_args {
    struct dist_at at;
    dist_group *group;
};
int dist_get_rank_with(struct dist_group_args args);
int dist_get_world_size_with(struct dist_group_args args);

/* A group of `count` different world ranks; their order gives the ranks inside the group. A collective over
 * the world: every rank calls it, with the same list, members or not. Non-members get a group that
 * they can only ask for its size and free. */
#define dist_new_group(ranks, count) dist_new_group_at(DIST_AT, ranks, count)
dist_group *dist_new_group_at(struct dist_at at, const int *ranks, int count);

/* Give a group back once its last operation was waited for. Local: waits for nobody. NULL is fine. */
#define dist_group_free(group) dist_group_free_at(DIST_AT, group)
int dist_group_free_at(struct dist_at at, dist_group *group);

/* ---- point to point ------------------------------------------------------ */

/* send returns when the matching receive has taken the data (DIST_BUFFERING=rendezvous, the default), or as
 * soon as a message of up to BYTES is copied aside (DIST_BUFFERING=eager:BYTES). A receive matches a
 * send with the same group and tag from `src`; count and type must agree. Messages between two ranks
 * with one group and tag arrive in the order sent. recv gives the rank that sent. tag >= 0. */
#define dist_send(...) \
    dist_send_with((struct dist_send_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
#define dist_recv(...) \
    dist_recv_with((struct dist_recv_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })

/* The same, started and not waited for. Leave a tensor that is being sent unchanged, and do not look
 * at one that is being received, until dist_wait has returned or dist_is_completed said so. The transfer goes on
 * meanwhile. With DIST_CHECK=1 in the environment a touch in between is an error (DIST_ERR_BUFFER). */
#define dist_isend(...) \
    dist_isend_with((struct dist_send_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
#define dist_irecv(...) \
    dist_irecv_with((struct dist_recv_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
struct dist_send_args {
    struct dist_at at;
    tensor *tensor;
    int dst;
    int tag;
    dist_group *group;
};
struct dist_recv_args {
    struct dist_at at;
    tensor *tensor;
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

/* Start several sends and receives together; works[i] is then waited for as usual. */
enum dist_p2p_kind { DIST_ISEND = 1, DIST_IRECV };
typedef struct dist_p2p_op {
    enum dist_p2p_kind kind;
    tensor *tensor;
    int peer;
    int tag;
    dist_group *group;
} dist_p2p_op;
#define dist_batch_isend_irecv(ops, count, works) dist_batch_isend_irecv_at(DIST_AT, ops, count, works)
int dist_batch_isend_irecv_at(struct dist_at at, const dist_p2p_op *ops, int count, dist_work **works);

/* Wait until a work is done, and give it back: wait once for each work. For a receive the result is the rank
 * that sent, else 0. is_completed only looks. */
#define dist_wait(work) dist_wait_at(DIST_AT, work)
#define dist_wait_all(works, count) dist_wait_all_at(DIST_AT, works, count)
#define dist_is_completed(work) dist_is_completed_at(DIST_AT, work)
int dist_wait_at(struct dist_at at, dist_work *work);
int dist_wait_all_at(struct dist_at at, dist_work **works, int count);
bool dist_is_completed_at(struct dist_at at, dist_work *work);

/* ---- collectives --------------------------------------------------------- *
 *
 * Every member of the group calls the same collectives in the same order, with the same root, reduction,
 * type and counts; anything else is a DIST_ERR_MISMATCH on every member. n is the group's size, r the
 * caller's rank in it; "block i" of a tensor is the i-th of n equal parts, in group rank order.
 * With .async_op = true the call returns a work at once; without, it returns NULL when the caller's
 * part is done. Tensors must not overlap unless the in-place rule of the call allows it.
 */

/* Everyone ends with src's tensor. */
#define dist_broadcast(...) \
    dist_broadcast_with((struct dist_broadcast_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
struct dist_broadcast_args {
    struct dist_at at;
    tensor *tensor;
    int src;
    dist_group *group;
    bool async_op;
};
dist_work *dist_broadcast_with(struct dist_broadcast_args args);

/* dst's tensor becomes the reduction of all; the others keep theirs. */
#define dist_reduce(...) \
    dist_reduce_with((struct dist_reduce_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
struct dist_reduce_args {
    struct dist_at at;
    tensor *tensor;
    int dst;
    enum dist_op op;
    dist_group *group;
    bool async_op;
};
dist_work *dist_reduce_with(struct dist_reduce_args args);

/* Every tensor becomes the reduction of all. */
#define dist_all_reduce(...) \
    dist_all_reduce_with((struct dist_all_reduce_args){ .at = { __FILE__, __LINE__ }, .tensor = __VA_ARGS__ })
struct dist_all_reduce_args {
    struct dist_at at;
    tensor *tensor;
    enum dist_op op;
    dist_group *group;
    bool async_op;
};
dist_work *dist_all_reduce_with(struct dist_all_reduce_args args);

/* scatter: `output` becomes block r of src's `input` (n x as many elements; NULL on the others).
 * gather: dst's `output` (n x as many elements; NULL on the others) becomes all inputs, in rank order.
 * In place: the root's small tensor may be its own block of the big one. */
#define dist_scatter(...) \
    dist_scatter_with((struct dist_scatter_args){ .at = { __FILE__, __LINE__ }, .output = __VA_ARGS__ })
#define dist_gather(...) \
    dist_gather_with((struct dist_gather_args){ .at = { __FILE__, __LINE__ }, .input = __VA_ARGS__ })
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
#define dist_all_gather(...) \
    dist_all_gather_with((struct dist_exchange_args){ .at = { __FILE__, __LINE__ }, .output = __VA_ARGS__ })
/* all_to_all(output, input): block i of output comes from rank i, block r of its input. Same size both. */
#define dist_all_to_all(...) \
    dist_all_to_all_with((struct dist_exchange_args){ .at = { __FILE__, __LINE__ }, .output = __VA_ARGS__ })
struct dist_exchange_args {
    struct dist_at at;
    tensor *output;
    tensor *input;
    dist_group *group;
    bool async_op;
};
dist_work *dist_all_gather_with(struct dist_exchange_args args);
dist_work *dist_all_to_all_with(struct dist_exchange_args args);

/* reduce_scatter(output, input): output becomes block r of the reduction of all inputs (n x output's elements).
 * In place: output may be block r of input. */
#define dist_reduce_scatter(...) \
    dist_reduce_scatter_with( \
        (struct dist_reduce_scatter_args){ .at = { __FILE__, __LINE__ }, .output = __VA_ARGS__ })
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
 * the ranks that did not come (DIST_ERR_TIMEOUT); the group is of no more use then. */
#define dist_barrier(...) \
    dist_barrier_with((struct dist_barrier_args){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
struct dist_barrier_args {
    struct dist_at at;
    dist_group *group;
    bool async_op;
};
dist_work *dist_barrier_with(struct dist_barrier_args args);

#define dist_monitored_barrier(...) \
    dist_monitored_barrier_with( \
        (struct dist_monitored_barrier_args){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
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
struct dist_span_mark dist_span_begin(struct dist_at at, const char *format, ...);
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

/* The name of an error: "DIST_ERR_MISMATCH". */
const char *dist_error_name(enum dist_error error);

/* Seconds on a clock that only goes forward, for measuring. */
double dist_time(void);

#endif
