/*
 * stream.h: streams, events and gates, as far as they are the same on every GPU, real or simulated.
 *
 *     put        ............................
 *     given      ................|            the first item behind it is a gate that nobody has said when it opens, or
 *     done       .......|                     an event that has not been given itself
 *
 * The rule that all of it keeps: NOTHING THAT A GPU WAS GIVEN WAITS FOR SOMETHING THAT IT WAS NOT GIVEN. What is put behind a closed
 * gate waits in a list here, on the host. It is handed on when the gate is opened, or when that which will open it has been
 * handed on: then the gate has become an ordinary event. So everything that a GPU has comes to its end by itself: what was
 * given is sure to pass (device.h), and nothing else is.
 *
 * One lock guards it all, for all ranks of the process: where ranks are threads, a stream of one may wait for an event of another.
 */
#ifndef DEVICES_STREAM_H
#define DEVICES_STREAM_H

#include "device.h"
#include "../launch/worker.h"

#define GPU_STREAMS (DEVICE_STREAMS + 1) /* of a rank: the first is the backend's own, number -1 */

enum item_kind { ITEM_KERNEL, ITEM_COPY, ITEM_RECORD, ITEM_FOLLOW };

/* What stands in a stream. */
struct item {
    enum item_kind kind;
    uint64_t mark; /* RECORD, FOLLOW: which of the event's */
    struct event *event;
    struct { /* COPY */
        void *to;
        const void *from;
        size_t bytes;
        enum copy_way way;
    } copy;
    struct kernel kernel;
    int64_t asked; /* sim: when the program put it in, while somebody records; else 0 */
    struct item *next;
};

struct stream {
    const struct engine *engine;
    union {
        struct cuda *rank;
        struct sim *sim;
    };
    int number;
    uint64_t put, given, done;        /* items, ever: put in; handed to the GPU; known to be done */
    struct item *first, **end;        /* those that were not given yet: the first of them may not pass */
    struct stream *next_held;         /* streams with such items */
    union {                           /* the larger of the two first: an initializer clears that one */
        struct {                      /* sim */
            struct worker thread;     /* is started when something is put in first */
            bool stop;                /* it shall end once all is done */
            struct item *todo, *last; /* what it was given, and has not done */
        };
        struct {                /* cuda */
            void *cuda;         /* a cudaStream_t */
            bool foreign;       /* the program puts work of its own into it, and tells nobody what and when */
            struct event *tail; /* marks the end of what had been given at some time, */
            uint64_t tail_at;   /* and that is how much it was */
            double *partial;    /* room for SUM_BLOCKS sums */
            void *blas;         /* cuBLAS's handle; NULL: not needed yet */
        };
    };
};

struct event {
    const struct engine *engine;
    int users;             /* the holder, and the items that name it */
    uint64_t marks, given; /* put into a stream; and handed to the GPU */
    struct stream *stream; /* where the last was put */
    bool gate;             /* its only mark: it is open; */
    bool open;             /* by the host */
    union {
        struct {                  /* cuda */
            struct cuda_gpu *gpu; /* of a gate: whose stream opens it; NULL: nobody has said when yet */
            bool timed;
            void *cuda;                  /* a cudaEvent_t */
            const struct cuda *notified; /* this rank will be notified of it, */
            uint64_t notified_for;       /* at this mark */
            struct event *next;          /* spare */
        };
        struct { /* sim */
            struct sim *sim;
            uint64_t passed; /* marks that are done */
            int64_t time;    /* when the last was */
            int abroad; /* 1 + another rank, whose stream was given an item that follows it; -1: several */
        };
    };
};

/* What a device does with what its streams are given. All is called with the lock held. */
struct engine {
    /* Does the stream take anything? Else the status, with its sentence. */
    int (*check)(struct stream *stream);

    /* Hand an item on; the engine keeps a copy if it needs it later. 0, or an error of the engine's own, which refused() makes a
     * status with its sentence. late: no call can report it, so the job has failed. */
    int (*give)(struct stream *stream, const struct item *item);
    int (*refused)(struct stream *stream, int error, bool late);

    /* Has its newest mark, which was given, passed? If not, the caller may be about to sleep until it has. */
    bool (*past)(struct event *event);

    /* A stream shall open this gate, which takes something for it. NULL: it takes nothing. */
    int (*prepare)(struct event *gate, const struct stream *stream);

    /* Whoever sleeps for it shall look again: the gate was opened; NULL: what had waited was given. */
    void (*news)(const struct event *gate);

    void (*drop)(struct event *event); /* nobody uses it any more. NULL: it is freed */
};

/* Whoever wants the lock spins first. Not where streams are threads: the one that has it may have lost its core (measured: five times
 * as many switches). */
extern _Atomic bool streams_spin;

void streams_lock(void);
void streams_unlock(void);

/* ---- stream.c: with the lock held ------------------------------------------------------------- */

/* Put an item, which uses its event, into a stream: it is given now, or once what stands before it can be. */
int stream_put(struct stream *stream, const struct item *item);

/* Something was given, or a gate was opened: give what was waiting for that. */
void stream_go_on(void);

/* A copy, which uses its event, too; NULL: no memory, with the sentence. And its end. */
struct item *stream_new_item(const struct item *what);
void stream_free_item(struct item *item);

/* Freed memory that streams may still use, in the order of freeing: it waits until each has done what stood in it then. */
struct retired_list {
    struct retired *first, *last;
};
void retired_add(struct retired_list *list, struct stream *const *streams, void *memory);
void *retired_take(struct retired_list *list, struct stream *const *streams); /* NULL: all is still used */

/* The stream is one of these no more; what was not given of it is forgotten. */
void stream_end(struct stream *stream, struct stream **streams, struct retired_list *list);

/* ---- mark.c -------------------------------------------------------------------------------------- */

void mark_unuse(struct event *event); /* one user fewer; NULL is fine */

#endif
