/*
 * sim.h: a simulated GPU, one for each rank.
 *
 *   memory   pages of the rank's arena. The program's view of them is closed; the streams use the second view, world.base
 *   streams  a queue and a thread each (sim_stream.c), that does what stands in it, in order
 *   events   count how often they were put into a stream, and how often a stream came to them (sim_mark.c)
 *   gates    open or closed; events with one mark, that anybody can make pass
 *   sure     what will pass by itself, whatever the ranks do from now on
 *   copies   between host and device go over a link that makes them as slow as DIST_SIM says (link.h); those who wait
 *            for it sleep, and the other streams go on
 *
 * One lock guards all queues, events and gates of a process: where ranks are threads, a stream of one may wait for an event
 * of another. Threads sleep on their rank's event count, like its own thread: whoever has changed something that others may wait
 * for notifies it, after the change (eventcount.h). Each stream's thread has a note of its own, so that the watcher can tell
 * when all have come to rest.
 */
#ifndef DEVICES_SIM_H
#define DEVICES_SIM_H

#include "device.h"
#include "link.h"
#include "../launch/worker.h"

#define SIM_STREAMS (DEVICE_STREAMS + 1) /* the backend's own is the first, number -1 */

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
    struct stream *stream;      /* in which it stands */
    struct stream *marker;      /* FOLLOW: the stream with the mark */
    struct item *next_follower; /* FOLLOW: of the same event */
    int64_t asked;              /* when the program put it in, while somebody records; else 0 */
    struct item *next;
};

struct stream {
    struct sim *sim;
    int number;
    struct worker thread; /* is started when something is put in first */
    bool stop;            /* its thread shall end once it is empty */
    struct item *first, **end;
    struct item *unsure; /* the first of which it is not known that it will pass by itself; NULL: none */
    bool asked;          /* whether it will, right now: sim_mark.c */
    uint64_t put, done;  /* items, ever */
};

struct event {
    struct sim *sim;
    int users;              /* the holder, and the items that name it */
    uint64_t marks, passed; /* put into a stream; and done */
    uint64_t sure;          /* the newest mark that is sure to pass */
    int64_t time;           /* when the last was done */
    struct stream *stream;  /* where the last was put */
    struct item *followers; /* what stands in streams and waits for one of its marks */
    bool gate;              /* its only mark: it is open; its stream: with what will open it, NULL: none */
};

/* Freed memory that streams may still use: it waits until each has done what stood in it then. */
struct retired {
    void *memory;
    uint64_t until[SIM_STREAMS];
    struct retired *next;
};

struct sim {
    struct launch_self *self;
    struct rank_slot *slot;
    struct stream *streams[SIM_STREAMS];
    struct link out, in; /* to the host, and from it */
    struct retired *retired;
    void *staging;
    size_t staging_bytes;
};

extern pthread_mutex_t sim_lock;

/* Tell whoever waits that something has changed; the lock may be held. */
static inline void sim_notify(const struct sim *sim)
{
    eventcount_notify(&sim->slot->eventcount);
}

/* sim_stream.c */
struct stream *sim_stream_new(void *state, int number);
void sim_stream_free(struct stream *stream);
bool sim_stream_passed(struct stream *stream);
int sim_launch(struct stream *stream, const struct kernel *kernel);
int sim_copy(struct stream *stream, void *to, const void *from, size_t bytes, enum copy_way way);
int sim_put(struct stream *stream, struct item item); /* takes a user of the item's event */

/* sim_mark.c. With the lock held: may a stream pass this item? And what doing it changes. */
bool sim_may_pass(const struct item *item);
void sim_mark(const struct item *item);
void sim_stand(struct item *item);   /* it was put into its stream */
void sim_unuse(struct event *event); /* one user fewer; may be NULL */

struct event *sim_event_new(void *state, bool timed);
void sim_event_free(struct event *event);
int sim_event_record(struct event *event, struct stream *stream);
int sim_event_follow(struct event *event, struct stream *stream);
bool sim_event_passed(struct event *event);
bool sim_event_sure(struct event *event);
double sim_event_elapsed(struct event *from, struct event *to);
struct event *sim_gate_new(void *state);
int sim_gate_open_behind(struct event *gate, struct stream *stream);
void sim_gate_open(struct event *gate);
struct event *sim_stream_held(struct stream *stream);

#endif
