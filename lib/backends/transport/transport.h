/*
 * transport.h: what the library asks of a transport that carries bytes between processes (MPI, Gloo), in plain C types: no handle of the
 * transport's crosses this border. A transport is built as a plug-in, a shared object of its own, and opened when it is asked for: so
 * programs start without it.
 *
 * One thread at a time calls. Nothing here blocks but open, close and group_new.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

#define TRANSPORT_VERSION 9
#define TRANSPORT_NOTES 0                   /* the tag of what hear() gives; data have other tags, up to */
#define TRANSPORT_TAGS 32767                /* below that: as many as every MPI has; */
#define TRANSPORT_AHEAD (UINT64_C(1) << 63) /* or from that on, where there is forget() */
#define TRANSPORT_NOTE 8704                 /* bytes of a note, at most */

struct transport_job {
    int rank, size;
    /* inout[i] = in[i] op inout[i], for transports that reduce. */
    void (*reduce)(void *inout, void *in, int64_t count, int type, int op);
    /* Memory of all ranks, zero at first, where they may find each other: a struct world_bootstrap of each. */
    char *bootstrap;
    size_t bootstrap_bytes;
    const char *address; /* of this machine, for a transport that listens there */
    int (*over)(void);   /* 1: the job has failed, and nobody else will come */
    void (*wake)(void);  /* for its threads, if it has any */
};

enum transport_call {
    TRANSPORT_BROADCAST,
    TRANSPORT_REDUCE,
    TRANSPORT_ALL_REDUCE,
    TRANSPORT_SCATTER,
    TRANSPORT_GATHER,
    TRANSPORT_ALL_GATHER,
    TRANSPORT_REDUCE_SCATTER
};

/* One collective. `in` and `out` are the same where it works in place, and do not overlap otherwise. Of a tensor with a block for each member
 * they are the beginning of this piece of the first one. */
struct transport_collective {
    enum transport_call call;
    int type, op, root; /* enum dist_type, enum dist_op; root: a place in the group */
    size_t element;     /* bytes */
    int64_t block;      /* elements of one member's block, > 0 and at most transport.most, */
    int64_t stride;     /* and from one to the next: more, where this is a piece of them */
    const void *in;
    void *out;
};

/* A request is a number that only the transport understands; 0: the transport has failed. TRANSPORT_SENT: a note with which it has done at
 * once; it is not tested. */
typedef uint64_t transport_request;
#define TRANSPORT_SENT UINT64_MAX

struct transport {
    uint32_t version;
    int wakes;     /* 1: it has threads of its own, which call job.wake() when test() or hear() has news */
    int64_t most;  /* elements of a block that one collective takes; longer ones are given it in pieces */
    int sums_well; /* 1: in a long all_reduce it sends no more than each member must (ring.c) */

    /* Join the others, and leave with them. open: 0, or 1 with a sentence in why. */
    int (*open)(const struct transport_job *job, char *why, size_t why_size);
    int (*meet)(void); /* all have come here: 1; not yet: 0: call it again until they have */
    void (*close)(void);

    transport_request (*send)(const void *data, size_t bytes, int peer, uint64_t tag);
    /* Over only when their receive has begun. *meets = 1: it had. */
    transport_request (*offer)(const void *data, size_t bytes, int peer, uint64_t tag, int *meets);
    transport_request (*recv)(void *data, size_t bytes, int peer, uint64_t tag);
    void (*forget)(transport_request receive); /* for which nobody sends; NULL: it cannot */
    transport_request (*collect)(void *group, const struct transport_collective *what);
    int (*test)(transport_request *request); /* 1: done, and forgotten; -1: the transport has failed */

    /* A message with tag TRANSPORT_NOTES, of any rank: its bytes, and *from. 0: none has come; -1: the transport has failed. The buffer has
     * room for TRANSPORT_NOTE. */
    int (*hear)(void *buffer, int *from);

    /* Called on all members. NULL: it has failed. */
    void *(*group_new)(const int *ranks, int size, int number);
    void (*group_free)(void *group);

    const char *(*error)(void); /* why it has failed, in its words */
};

/* What a plug-in exports. */
#define TRANSPORT_SYMBOL "dist_transport"

#endif
