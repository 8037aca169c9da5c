/*
 * bench.h: what is measured, for every library in the same way.
 *
 *   bench_dist.c bench_mpi.c bench_gloo.cc   the sides: the calls below, spelled in the words of one library
 *   run.c        what a command line asks for: CASE BYTES
 *   messages.c   ping-pong, ring, barrier
 *   collectives.c
 *   patterns.c   many messages under way, groups, collectives in the background; peers_at_once.c: with several peers
 *   costs.c      what a rank costs: while it waits, to start, in memory
 *   pace.c       how often a call is made, and its median
 *
 * The last seven are compiled once and linked with every side: all libraries run the same code, with the same sizes, the same
 * warm-up and the same looks at the results. A library that moves nothing would be very fast.
 */
#ifndef BENCH_H
#define BENCH_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a side provides ------------------------------------------------------- */

/* Floats, in the memory that the library likes best. */
struct buffer {
    float *x;
    long count;
    void *own; /* the library's */
};

void side_new(struct buffer *buffer, long count);
void side_view(struct buffer *view, const struct buffer *whole, long from, long count);
void side_free(struct buffer *buffer);

void side_send(struct buffer *buffer, int to);
void side_recv(struct buffer *buffer, int from);
void side_barrier(void);

/* Started here, and over once it was waited for. */
typedef union side_request {
    void *own; /* the library's */
    int number;
} side_request;
#define SIDE_ANYBODY (-1)
side_request side_isend(struct buffer *buffer, int to, int tag);
side_request side_irecv(struct buffer *buffer, int from, int tag);
side_request side_iall_reduce(struct buffer *buffer);
void side_wait_all(side_request *requests, int count);
void side_in_group(
    int inside); /* send and recv: in a group of all ranks that is not the world; or again in the world */

/* All collectives have one shape. Where `out` and `in` are one buffer (broadcast, all_reduce) both are that. A rank that has
 * no such tensor gets one all the same, and must not touch it: out of gather and in of scatter, on all but the root. */
typedef void side_collective(struct buffer *out, struct buffer *in, int root);
side_collective side_broadcast, side_all_reduce, side_all_gather, side_reduce_scatter, side_all_to_all,
    side_scatter, side_gather;

/* The library has no such call: ends this rank, as it will end all others. */
void bench_has_not(void);

/* ---- what a side calls: main, and then, in every rank, once the job has begun -------- */

void bench_ask(int argc, char **argv);
void bench_run(int rank, int size);

/* ---- among the cases -------------------------------------------------------------- */

struct job {
    int rank, size;
    const char *name; /* the case */
    long bytes, count;
    void *notes; /* the case's own */
};

/* Call again and again; `turn` counts the calls. Gives the median microseconds of one. */
typedef void timed_call(struct job *job, int turn);
double pace(struct job *job, timed_call *call);

/* A case prints its result. 0: that is none of ours. */
int messages_run(struct job *job);
int collectives_run(struct job *job);
int patterns_run(struct job *job);
int costs_run(struct job *job);

void wrong(const struct job *job, const char *where, double got, double wanted);

#ifdef __cplusplus
}
#endif

#endif
