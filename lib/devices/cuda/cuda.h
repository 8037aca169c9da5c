/*
 * cuda.h: real GPUs, through the CUDA runtime. Several ranks (threads of one process) may share a GPU.
 *
 *   cuda.c     which GPU is a rank's; what to say where it cannot be had; the table
 *   failed.c   what CUDA refuses, and a GPU that fails
 *   memory.c   device memory: pieces of cudaMalloc, cut up by pool.c, and used again once the streams are past it
 *   stream.c   kernels, copies and marks, handed to CUDA (../stream.h says when); blas.c: large matrix products, by cuBLAS
 *   event.c    events, and how the host learns that a GPU has come to one: it looks, or sleeps until its event count is notified
 *   kernels.cu, choose.cuh, loops.cuh, element.cuh   the kernels themselves
 *
 * Why a stream in front of a closed gate waits on the host, and is not made to wait by CUDA (cuStreamWaitValue could do
 * that): so everything that CUDA has, comes to its end by itself, whatever CUDA does behind our back: two streams in one
 * hardware queue, a full queue that blocks the host, memory or a kernel's code fetched with all streams stopped, a debugger
 * that runs kernels one at a time. None of these can turn into a deadlock that the program did not have. The price: behind a
 * gate that opens late, the first kernel starts a few microseconds later than it could.
 *
 * One lock guards it all, for all ranks: CUDA lets one call at a time into a context anyway. But NO CALL THAT MAY WAIT FOR A GPU
 * IS MADE WITH THE LOCK HELD: with NCCL a GPU may be waiting for another rank, who needs the lock to go on. Such calls are
 * those for memory, cublasCreate and cublasDestroy, waiting for a stream, and the first launch of a kernel that CUDA has not
 * loaded yet. So all kernels are loaded when the GPU is opened (dist_spawn sets CUDA_MODULE_LOADING=EAGER). On an H100 with CUDA
 * 13.0 the first large product took 2.5 s, with the opening of cuBLAS; how long without EAGER was not measured. It undoes what CUDA's
 * programming guide praises in lazy loading, the default since CUDA 12.2: a shorter start, and less memory where a program uses few
 * of its kernels; all modules of the process are loaded, cuBLAS's and NCCL's too. (PyTorch's pull request 86509 has 667 MB of a
 * GPU's memory without it and 287 MB with it.) Whoever sets the variable is obeyed.
 */
#ifndef DEVICES_CUDA_CUDA_H
#define DEVICES_CUDA_CUDA_H

#include "../pool.h"
#include "../stream.h"

#include <cuda_runtime_api.h>
#include <pthread.h>

#define CUDA_GPUS 64 /* GPUs of a machine, at most */

/* A GPU. Ranks that share it share what was made on it. */
struct cuda_gpu {
    int number;
    bool open;
    int multiprocessors;
    char name[64];
    bool reaches[CUDA_GPUS]; /* its kernels can read and write that GPU's memory */
    cudaError_t broken;      /* not cudaSuccess: it has failed, and nothing more is given to it */
    struct event *spare[2];  /* events nobody uses; [1]: those that tell the time */
};

/* A rank's device. */
struct cuda {
    struct launch_self *self;
    struct cuda_gpu *gpu;
    struct stream *streams[GPU_STREAMS];
    cudaStream_t waker; /* event.c */
    struct pool pool;
    struct retired_list retired;
    void *staging;
    size_t staging_bytes;
    struct cuda *next;
};

/* What the ranks of this process share. CUDA's own state is one for the process, and so is this. */
struct cuda_all {
    int gpu_count; /* 0: not asked yet */
    struct cuda_gpu gpus[CUDA_GPUS];
    struct cuda *ranks;
};
extern struct cuda_all cuda_all;

/* ---- cuda.c --------------------------------------------------------------------------- */

/* All that follows is called with the lock held, but for the calls of the table; memory_take and memory_end let go of it. */

/* Make it the GPU that this thread's calls are about. */
void cuda_use_gpu(const struct cuda_gpu *gpu);

/* ---- failed.c ------------------------------------------------------------------------- */

/* The rank whose thread this is, if it has opened its device; else NULL. */
struct cuda *cuda_of_caller(void);

/* A CUDA call has failed: the sentence, and the status for it. The same where the GPU has failed before; else DIST_OK. */
int cuda_refuse(const struct cuda_gpu *gpu, const char *what, cudaError_t error);
int cuda_check(const struct cuda_gpu *gpu);
int cuda_failed(void *state); /* for the table */

/* It failed where no call can report it: the job ends, with the reason. */
void cuda_break(struct cuda_gpu *gpu, cudaError_t error);

/* CUDA was asked for something that takes memory; and whether something is past. It says no, or that it has failed. */
bool cuda_gave(struct cuda_gpu *gpu, cudaError_t error);
bool cuda_is_past(struct cuda_gpu *gpu, cudaError_t error);

/* ---- memory.c ------------------------------------------------------------------------- */

void *memory_take(struct cuda *rank, size_t bytes);
void memory_retire(struct cuda *rank, void *memory); /* free, once the streams are past it */
void memory_end(struct cuda *rank);

void *cuda_alloc(void *state, size_t bytes);
void cuda_free(void *state, void *memory);
void *cuda_staging(void *state, size_t bytes);

/* ---- stream.c --------------------------------------------------------------------------- */

struct stream *cuda_stream_new(void *state, int number);
void cuda_stream_free(struct stream *stream);
int cuda_launch(struct stream *stream, const struct kernel *kernel);
int cuda_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way);

/* For who gives work to CUDA himself (backends/nccl): what CUDA calls this stream; one piece of work counts as put in and
 * given. NULL: something still waits here that was put in before. */
cudaStream_t cuda_stream_of(struct stream *stream);
void cuda_use(struct stream *stream); /* the calling thread means its GPU */

extern const struct engine cuda_engine;

/* ---- event.c ----------------------------------------------------------------------------- */

struct event *event_take(struct cuda_gpu *gpu, bool timed);
bool event_is_past(const struct event *event); /* its newest mark, which was given */

/* As struct engine has them. */
bool event_past(struct event *event);
int event_prepare_gate(struct event *gate, const struct stream *stream);
void event_wake_all(const struct event *gate);
void event_drop(struct event *event);

struct event *cuda_event_new(void *state, bool timed);
double cuda_event_elapsed(struct event *from, struct event *to);
struct event *cuda_gate_new(void *state);

void stream_look(struct stream *stream); /* find out how much of it is done */

/* If the program has the stream (dist_stream_native), count what it may have put in. */
void stream_foreign(struct stream *stream);

bool cuda_stream_passed(struct stream *stream);
void *cuda_stream_native(struct stream *stream);

/* ---- blas.c ------------------------------------------------------------------------------ */

/* A large matrix product. False: cuBLAS is not here or not asked to. Without the lock, since cuBLAS may wait for the GPU: open
 * it, where this kernel wants it; and close it. */
bool blas_multiply(struct stream *stream, const struct kernel *kernel, cudaError_t *error);
void blas_begin(struct stream *stream, const struct kernel *kernel);
void blas_end(struct stream *stream);

#endif
