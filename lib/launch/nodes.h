/*
 * nodes.h: one job on several machines: `distrun -n 8 --nodes 2 --node 0 --at host:29500 program` on each of them.
 *
 *   node 0's watcher (the hub)  <------ control connection (TCP) ------  node 1's watcher
 *     ranks 0 to 3                                          \----------  node 2's watcher, ...
 *
 * nodes_read.c    what the command line and the environment say       secret.c    a proof that two know the same secret
 * nodes.c         how the watchers meet (nodes_call.c, nodes_callers.c, join.h)    connection.c    frames over one connection
 * control.h       what they tell each other while the job runs (control*.c)
 * nodes_thread.c  the same where another launcher has started the ranks (they meet by bootstrap.c, or MPI)
 * decide.c        can any rank of any host still move?                snapshot.c     what one rank wrote down, packed
 *
 * distrun deals the ranks out in blocks: of n ranks on m nodes the first n % m nodes have one more than the others. Data do not go over
 * these connections: the engine (Gloo, MPI) makes its own. Whatever the ranks print goes to node 0.
 */
#ifndef LAUNCH_NODES_H
#define LAUNCH_NODES_H

#include "buffer.h"
#include "world.h"

#define NODES_MOST 256
#define SECRET_BYTES 16
#define NODES_PORT "29500" /* where none is named; torchrun's, too */
#define NODES_BACKEND "gloo"

/* One look at another machine's clock, in ns. */
struct clock_reading {
    int64_t when;  /* by that clock, */
    int64_t ahead; /* which is so far ahead of node 0's, */
    int64_t error; /* give or take so much; 0: it was not looked at */
};

/* control_trace.c */
struct node_clock {
    struct clock_reading first, last; /* when the job began, and when it had ended */
    int64_t asked;                    /* when it was asked now; */
    int question;                     /* the number of that question, */
    int turns;                        /* and how many more will be asked */
    bool at_end;
};

/* One end of a connection. What is to be sent waits in `out` until the other side takes it. */
struct connection {
    int fd;                /* -1: there is none (any more) */
    struct buffer in, out; /* (none waits where there is no connection) */
    size_t taken;          /* bytes of `in` that were handed on */
    int64_t spoke;         /* clock when something was sent for the last time, ms, */
    int64_t looked;        /* and when this side looked whether something had come */
    int64_t silent;        /* how long nothing has come, ms, of which this side has seen each 100 */
    char name[64];         /* of the host there */
    bool done;             /* it has said that all of its ranks have ended */
    struct node_clock clock;
};

struct frame {
    int kind;         /* control.h has the list, and what the others hold: */
    int number;       /* mostly a rank */
    size_t bytes;     /* behind this head */
    uint64_t more[3]; /* what needs none */
};

void connection_open(struct connection *link, int fd);
void connection_close(struct connection *link);
/* A frame with its bytes. What can go goes now; where the connection is closed, or no memory is left, none does. */
void connection_put(struct connection *link, struct frame frame, const void *bytes);
bool connection_send(struct connection *link); /* what can go by now; false: it has broken */
bool connection_drain(struct connection *link, int64_t give_up); /* until all has; false: not in time */
bool connection_fill(struct connection *link);                   /* what has come; false: it has ended */

/* The next frame; its bytes are valid until connection_fill. False: none has come. */
bool connection_next(struct connection *link, struct frame *frame, const char **bytes);

/* Bytes without a head, where both sides know how many come now. False: not all of them, in time; of what is heard the first are there. */
bool connection_say(struct connection *link, const void *bytes, size_t size, int64_t give_up);
bool connection_hear(struct connection *link, void *bytes, size_t size, int64_t give_up);

struct launch_self;
struct nodes {
    int count, number; /* how many machines, and which one is this; count <= 1: the job is on one */
    int size;          /* ranks in all, */
    short node_of[WORLD_MAX_RANKS]; /* and where each of them is */
    char host[256], port[8];
    int seconds; /* in which all have to come */
    const char *secret_file;
    unsigned char key[SECRET_BYTES];
    bool foreign;             /* another launcher has started the ranks: nodes_thread.c; */
    struct launch_self *self; /* and this one sees when another of its machine ends */
    bool star;                /* and these are no machines, but its ranks: bootstrap.c */
    bool made_secret;         /* here: nobody else knows it yet */
    uint64_t program;         /* a number of the program's bytes; 0: there is none */
    struct alike alike;       /* as its environment says */
    const char *version;      /* of the library */
    char address[64];         /* of this machine, as the others see it */
    struct connection *links; /* [count]: node 0 has one to each, the others one to node 0 */
};

/* nodes_read.c. One of ours? Then it is read, with the word behind it (*at moves on). 1, 0: it is none, or minus the status. */
int nodes_option(struct nodes *nodes, int argc, char **argv, int *at, struct why *why);

/* A name or an address, of MASTER_ADDR: one of IPv6 may stand in brackets, which go. */
void nodes_read_host(const char *text, char *host, size_t size);

bool nodes_are_asked_for(const struct nodes *nodes);

/* Is all there, and does it fit? Reads the secret, or makes one; then meets the others. 0, or enum dist_error with a sentence. Without
 * a program the others are told that there is none here. */
int nodes_begin(struct nodes *nodes, const char *program, struct why *why);

/* nodes.c: wait until all nodes have come, on each of them. Same status. `listener`: where node 0 listens already; -1: nowhere yet. */
int nodes_meet(struct nodes *nodes, int listener, struct why *why);
int nodes_listen(struct nodes *nodes, int *listener, struct why *why);
int nodes_look_around(const struct nodes *nodes, struct why *why); /* has a rank of this machine ended? */
const char *nodes_advice(const struct nodes *nodes);               /* where one does not come */
static inline const char *nodes_unit(const struct nodes *nodes)
{
    return nodes->star ? "rank" : "node";
}
/* "node 1 (ranks 4 to 7)", "rank 3" */
const char *nodes_name(const struct nodes *nodes, int node, char *text, size_t size);
void nodes_leave(struct nodes *nodes);

/* nodes_thread.c: on all ranks, when words can be gathered: `gather` gathers `bytes` of each (false: it has failed), by their engine, or by
 * bootstrap.c. `host`: where they have reached rank 0 already, or NULL. The same status, on all; -1: gather has failed. And when a rank has
 * left: its watcher waits for those of other machines, whose records (DIST_TRACE) it gathers. */
typedef bool nodes_gather(void *argument, const void *own, void *all, size_t bytes);
struct launch_env;
int nodes_join(struct launch_self *self, nodes_gather *gather, void *argument, const char *host,
               const char *version, struct why *why);
void nodes_part(struct launch_self *self);

/* In a process that a rank has forked: its connections are none of its. Else the other machines would not see that rank's end before its. */
void nodes_forget(const struct launch_self *self);

/* bootstrap.c: MASTER_ADDR, and a port there that is free for us: MASTER_PORT, or its neighbour where torchrun's agent listens there itself.
 * Is all there that ranks need to meet so? And on all of them: their machines' watchers meet. The same status. */
int bootstrap_find_master(const struct launch_env *env, char *host, size_t host_size, int *port,
                          struct why *why);
int bootstrap_check(const struct launch_env *env, struct why *why);
int bootstrap_join_machines(struct launch_self *self, const char *version, struct why *why);

/* secret.c: from a file, or the environment; node 0 makes one where it is told none. Same status. And print one that was made. */
int nodes_find_secret(struct nodes *nodes, struct why *why);
void nodes_say_secret(const struct nodes *nodes);

/* A number that only who knows the key can make of these bytes: about a ns for each. */
uint64_t secret_proof(const unsigned char key[SECRET_BYTES], const void *bytes, size_t size);
bool secret_random(void *bytes, size_t size);

/* How many ranks a node has, and the first of them. */
static inline int nodes_ranks_of(const struct nodes *nodes, int node)
{
    int count = 0;
    for (int rank = 0; rank < nodes->size; rank++)
        count += nodes->node_of[rank] == node;
    return count;
}
static inline int nodes_first(const struct nodes *nodes, int node)
{
    int rank = 0;
    while (nodes->node_of[rank] != node)
        rank++;
    return rank;
}

/* "rank 3", "ranks 4 to 7": those of a node. */
const char *nodes_ranks(const struct nodes *nodes, int node, char *text, size_t size);

#endif
