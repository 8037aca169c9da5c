/*
 * double.h: a double of NCCL, for tests of the nccl backend where there is no GPU.
 *
 * It plays the functions of nccl.h that the backend uses, on simulated GPUs (DEVICE=sim): what would be a cudaStream_t is a
 * stream of theirs. Or on the double of CUDA (DEVICE=cuda). It writes down every call, as a line, and does what its script says.
 * Ranks are threads of one process, or there is one rank only, and the others are thought.
 *
 *   double.c   the table of functions, and what they write down
 *   comms.c    communicators; asked.c: what may be asked of them
 *   calls.c    those calls that go into a stream
 *   kernels.c  kernels, on simulated GPUs; on_cuda.c: on the double of CUDA
 *   move.c     what they do: with `moves` they carry real data from rank to rank, and hang as NCCL's do
 *   perform.c  what a collective does when all have come
 *   stage.c    a rank in which the backend's functions can be called directly
 *
 * It promises no more than NCCL does. Nothing is done when a call returns: ncclGroupEnd puts its kernels into the stream, and
 * ncclCommSplit writes down its communicator, when ncclCommGetAsyncError first says that they are through. A communicator
 * cannot be split while it is at work. ncclCommAbort and ncclCommDestroy wait until its kernels have left the stream,
 * several in a group only at the group's end, and ncclCommDestroy for the other ranks of this process, too. Of a group in which a
 * call has failed nothing is done. And every thread has to say which GPU it means.
 */
#ifndef NCCL_DOUBLE_H
#define NCCL_DOUBLE_H

#include "../../../lib/backends/nccl/library.h"
#include "../../../lib/dtype.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define DOUBLE_RANKS 8

struct stream;
struct kernel_run;

/* Other GPUs than simulated ones. */
struct double_gpu {
    cudaStream_t (*stream_of)(struct stream *stream);
    void (*use)(struct stream *stream);
    void (*launch)(struct kernel_run *run);
};
extern const struct double_gpu double_cuda; /* on_cuda.c */

struct double_script {
    const struct double_gpu *gpu; /* NULL: simulated */
    bool moves;                   /* kernels carry data; else they end at once, and nobody else is needed */
    bool old;                     /* a library without AlltoAll, Gather, Scatter */
    bool backwards;               /* sums begin with the last rank */
    bool hangs;                   /* kernels never end (without `moves`) */
    double init_seconds;          /* how long a communicator is in progress */
    int polls;                    /* how often any group of calls says that it is in progress */
    const char *fails;            /* this call, "AllReduce", */
    ncclResult_t with;            /* fails with this */
    ncclResult_t later; /* what ncclCommGetAsyncError says once a kernel was started; ncclSuccess: nothing */
    const char *last_error;
    const char *finalize_fails; /* that of this communicator, "split 1", which then says what `with` is */
    bool spread;                /* the other ranks are on other machines */
    int split_size;             /* without `moves`: how many are in a communicator that was split off */
};

/* Put the double in the library's place, play by this script, and forget what was written down. */
void double_play(const struct double_script *script);

/* What a rank has called since then, a line for each call. */
const char *double_log(int rank);
void double_forget(int rank);

/* How many communicators there are that were neither destroyed nor aborted. */
int double_open_comms(void);

/* Wait until no kernel of this rank is at work any more: then its GPU may be closed. */
void double_rest(int rank);

/* ---- between the files ----------------------------------------------------------------------- */

extern struct double_script script;
extern pthread_mutex_t double_lock;
extern pthread_cond_t double_news;

/* Where the ranks of a communicator meet. */
struct place {
    ncclUniqueId id;
    int size, joined, splits[DOUBLE_RANKS]; /* splits: how many each rank has made of it */
    int left;                               /* ranks that have destroyed or aborted theirs */
    int parent, split, color;               /* of a split; else -1 */
};

struct ncclComm {
    struct place *place;
    int rank, size, number; /* number: 0 the world, then in the order in which this rank split them */
    double ready_at;
    int polls;
    bool aborted, finalized, ended; /* ended: destroyed or aborted */
    int running;                    /* kernels in the stream */
    ncclComm_t made;                /* the newest split of it, until it is written down */
    ncclComm_t *fills;              /* a split: where its address is to go, once it is made */
    struct step *later;             /* what ncclGroupEnd has taken, and not put into the stream yet */
    int later_count;
    uint32_t launches, collectives;
    ncclComm_t parent;
};

/* One call inside a group. */
struct step {
    const char *name;
    ncclComm_t comm;
    cudaStream_t stream;
    const void *in;
    void *out;
    size_t count;
    ncclDataType_t type;
    ncclRedOp_t op;
    int peer; /* or root */
};

/* A collective: who has come with what. */
struct round {
    struct place *place;
    uint32_t number;
    int came;
    bool over;
    struct step steps[DOUBLE_RANKS];
    struct round *next;
};

/* A kernel: steps of one communicator that go together. */
struct kernel_run {
    struct step *steps;
    struct letter **letters; /* those of sends */
    struct round **rounds;   /* those of collectives */
    bool *done;
    int count;
    struct event *event; /* on a simulated GPU: where it stands in the stream */
    struct event *gate;
    struct kernel_run *next;
};

/* perform.c: carry out a collective for which all have come. */
void double_perform(const struct round *round);
enum dist_type type_of(ncclDataType_t type);

void double_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool double_fails(const char *name);
void *double_keep(
    size_t bytes); /* zeroed memory that stays until the process ends: nobody else may still point there */
const char *comm_name(ncclComm_t comm, char *text, size_t size);
void comms_forget(void);

/* calls.c: fill in the calls that go into a stream; double.c: take one down, inside a group. */
void double_fill(struct nccl_calls *calls);
ncclResult_t double_add(struct step step, const char *rest);

ncclResult_t double_get_unique_id(ncclUniqueId *id);
ncclResult_t double_comm_init_rank_config(ncclComm_t *comm, int size, ncclUniqueId id, int rank,
                                          ncclConfig_t *config);
ncclResult_t double_comm_split(ncclComm_t parent, int color, int key, ncclComm_t *out, ncclConfig_t *config);
ncclResult_t double_comm_get_async_error(ncclComm_t comm, ncclResult_t *state);
ncclResult_t double_comm_count(ncclComm_t comm, int *count);
ncclResult_t double_comm_user_rank(ncclComm_t comm, int *rank);
ncclResult_t double_comm_finalize(ncclComm_t comm);
ncclResult_t double_comm_destroy(ncclComm_t comm);
ncclResult_t double_comm_abort(ncclComm_t comm);

/* kernels.c: put a kernel that does these steps into their stream, one for each communicator. And free it. */
void kernels_launch(const struct step *steps, int count);
void kernel_free(struct kernel_run *run);

/* move.c: do a kernel's steps, until all is done or its communicator was aborted. */
void move_kernel(struct kernel_run *run);

/* double.c: the calling thread has said which GPU it means; else the test ends. How many groups it has begun. */
void double_expect_gpu(const char *call);
int double_depth(void);

/* comms.c: what aborts in the group have put off. asked.c: the test ends where a communicator is used that was destroyed or aborted;
 * and one that has not been seen to be through with what it was asked before refuses more. */
void comms_group_end(void);
void comms_expect_open(ncclComm_t comm, const char *call);
bool comms_is_ready(ncclComm_t comm);

#endif
