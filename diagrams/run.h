/*
 * run.h: a run as the pictures see it: what each rank did, in its order, and which send belongs to which receive.
 *
 * It is read from what DIST_TRACE wrote (lib/trace). Clock times are kept, but nothing here depends on them.
 */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_RANKS 1024
#define RUN_EVENTS (4u << 20)
#define RUN_STREAMS 16
#define RUN_VALUES 64 /* elements that are kept of a tensor */

enum act_kind {
    ACT_SEND, /* waits until it is done */
    ACT_RECV,
    ACT_ISEND, /* only starts it */
    ACT_IRECV,
    ACT_COLLECTIVE,
    ACT_WAIT, /* for something started */
    ACT_SPAN, /* computing, as the program named it */
    ACT_OTHER /* init, destroy, new_group */
};

/* The elements of a tensor, or the first of them. A NaN stands for whatever JSON cannot hold. */
struct elements {
    int count;
    double *value;
};

/* One thing that one rank did. */
struct act {
    enum act_kind kind;
    int rank;
    char *name;              /* "all_reduce", or what the span is called */
    double begin, end;       /* microseconds */
    bool unfinished;         /* the rank ended in the middle of it, or it failed */
    int64_t number;          /* of the event in its rank's record: what waits refer to */
    int peer, tag;           /* messages; peer -1: not known */
    int message;             /* messages: index in run->messages; -1: the other half is missing */
    int started;             /* waits: the act that was started; -1: unknown */
    int finished;            /* started acts: the first wait for them; -1: none */
    int group, seq;          /* collectives: which one of which group */
    int root;                /* collectives: a place in the group; -1: none */
    char op[8];              /* "SUM" */
    int64_t bytes, elements; /* of the tensor */
    struct elements in, out;
};

/* One message: indexes of acts. */
struct message {
    int send, recv;
    int done; /* the act at whose end the receiver knew: the receive, or the wait for it */
};

/* The members of a group, by their place in it. */
struct members {
    int id, count;
    int *rank;
};

/* A stream of a rank's GPU was busy with something. stream -1: communication. */
struct slice {
    int rank, stream;
    char *name;
    double asked, begin, end; /* microseconds; `asked`: when the program put it into the stream */
};

struct run {
    int ranks;
    struct act *acts; /* those of rank 0 in their order, then those of rank 1, ... */
    int count;
    int *first; /* first[r]: where rank r's begin; first[ranks] is `count` */
    struct slice *slices;
    int slice_count, slice_room;
    struct message *messages;
    int message_count;
    struct members *groups;
    int group_count;
    int64_t lost;  /* events that the record had no room for */
    char why[200]; /* what is wrong; empty: nothing */
};

struct json;

/* A file that is no JSON, or only its beginning, in words; `kind`: "trace", which `variable` makes the library write. */
void run_say_unread(const struct json *json, const char *kind, const char *variable, char *why, size_t size);

/* Read a trace. False: run->why. Free it in both cases. */
bool run_read(struct run *run, const char *path);
bool run_read_bytes(struct run *run, const void *bytes, size_t size);
void run_free(struct run *run);

/* The members of a group; NULL: the trace does not tell. */
const struct members *run_group(const struct run *run, int id);

/* Keep only what each rank did from its world collective number `from` on (that one too), to before number `to`. -1: no
 * such end. False: no rank came to number `from`. */
bool run_cut(struct run *run, int from, int to);

/* Keep only what each rank did between its spans of these names, and the spans; what is left out has lost its names, too. */
void run_keep_between(struct run *run, const char *from, const char *to);

/* Keep only the last `count` acts of each rank. */
void run_keep_last(struct run *run, int count);

#endif
