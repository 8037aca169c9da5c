/*
 * room.h: the NCCL room: one GPU a rank, any number of machines. NCCL moves the data; the room is thin.
 *
 *   nccl.c      the table of calls, and which NCCL call does which of them
 *   library.c   finds libnccl when it is first needed        words.c   NCCL's errors as ours
 *   open.c      joining and leaving                          address.c how ranks on several machines find each other
 *   groups.c    a communicator for each group
 *   launch.c    put off, launched together
 *   watch.c     under way: is it over, has it failed, has it taken too long?
 *   check.c     DIST_CHECK=1: do the ranks mean the same? Asked through slips.c within a machine, far.c between machines
 *
 *     put off  -->  flying  -->  over
 *
 * A rank gives its NCCL calls to one stream, in the order in which it was asked. An op starts behind op->ready, and op->gate
 * opens behind it. Sends and receives that follow each other directly are PUT OFF, and launched as one ncclGroup when
 * somebody waits, asks, or wants something else: in a group all make progress at once, so that two ranks which both isend,
 * irecv and wait do not block each other's stream. FLYING, an op is NCCL's and waits in a list; it is OVER (op->done) when
 * its gate is seen open. The list is looked after by whoever comes by, above all by the host that waits (nccl_note).
 *
 * What NCCL promises less than dist.h, and the room with it:
 *   - it sends no tags: between two ranks of a group the n-th send meets the n-th receive. With DIST_CHECK=1 a tag, type or
 *     count that does not fit is reported; without, NCCL truncates in silence, or hangs;
 *   - what two ranks do together they must begin in the same order on both, also across groups: each has one stream;
 *   - nobody can receive from DIST_ANY_SOURCE, and tensors of the host stay where they are: both are errors;
 *   - reductions are in NCCL's order, and of F16 and BF16 rounded at every step: the same bits on all ranks, but not
 *     those of the other backends;
 *   - what is put off moves only once the program comes back into the library.
 * So a job that hangs is ended by DIST_TIMEOUT (600 s), and with DIST_CHECK=1 on one machine it is explained at once.
 */
#ifndef NCCL_ROOM_H
#define NCCL_ROOM_H

#include "library.h"
#include "../../backend.h"
#include "../../devices/device.h"

struct nccl_group {
    ncclComm_t comm; /* NULL: aborted */
    struct dist_group *group;
    uint32_t seq;     /* collectives that were checked */
    int32_t *members; /* checked within a machine: its world ranks, for whoever reads the notes */
    struct nccl_group *next;
};

struct op_queue {
    struct dist_work *first, **end; /* by op->next */
};

/* One rank's room. Only the rank's own thread comes in. */
struct nccl_room {
    const struct nccl_calls *nccl;
    struct launch_self *self;
    struct rank_slot *slot;
    struct rank_notes *notes;
    int rank, size;
    bool spread;  /* over machines: the world's memory reaches only this rank */
    bool checked; /* DIST_CHECK=1 */
    bool lazy;    /* DIST_CONNECT=lazy: NCCL makes its connections when they are first used */
    double limit; /* DIST_TIMEOUT: seconds that the host waits for one and the same op */

    const struct device *device;
    void *state;
    struct stream *stream; /* where NCCL works */
    void *scratch;         /* a byte for each rank, twice: for barriers and connections */

    struct nccl_group world, *groups, *retired; /* retired: freed, NCCL is not yet done with them */
    struct op_queue off, flying;
    unsigned asked;    /* how often somebody has asked since the last was put off */
    uint32_t launches; /* numbers them: op->ticket */

    uint32_t oldest; /* the flying op that the host was last seen to wait for, */
    double waited;   /* how long, */
    double seen;     /* and when that was */

    int failed;    /* everything was aborted with this status, */
    char why[200]; /* for this reason */
};

static inline void queue_reset(struct op_queue *queue)
{
    queue->first = NULL;
    queue->end = &queue->first;
}

static inline void queue_add(struct op_queue *queue, struct dist_work *op)
{
    op->next = NULL;
    *queue->end = op;
    queue->end = &op->next;
}

/* ---- open.c, groups.c ------------------------------------------------------------------ */

int nccl_open(struct launch_self *self, struct dist_group *world, void **out, char *why, size_t why_size);
int nccl_close(void *room);
int nccl_group_new(void *room, struct dist_work *op);
void nccl_group_free(void *room, struct dist_group *group);
ncclConfig_t nccl_config(void);
void groups_sweep(struct nccl_room *room, bool all); /* give back retired groups; all: wait for each */

/* address.c: set NCCL_COMM_ID, by which ranks on several machines find rank 0. Status, with a sentence in why. */
int address_set(const struct launch_env *env, char *why, size_t why_size);

/* ---- words.c --------------------------------------------------------------------------- */

ncclDataType_t nccl_type(enum dist_type type);
ncclRedOp_t nccl_op(enum dist_op op);

/* Inside a group and without blocking, a call may also say that it is in progress. */
static inline bool went_well(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

/* What an NCCL error is in our terms: the status, and a sentence that goes before the advice for it. */
int nccl_explain(const struct nccl_calls *nccl, ncclResult_t result, char *why, size_t why_size);

/* Why the job has failed, as other ranks or the watcher have noted it. */
int nccl_job_failed(const struct nccl_room *room, char *why, size_t why_size);

/* ---- launch.c -------------------------------------------------------------------------- */

int launch_put_off(struct nccl_room *room, struct dist_work *op);

/* Launch what was put off. */
void launch_flush(struct nccl_room *room);

/* Launch one more op behind all others: `call` makes its NCCL calls, inside a group. */
typedef ncclResult_t nccl_caller(struct nccl_room *room, const struct dist_work *op);
int launch_now(struct nccl_room *room, struct dist_work *op, nccl_caller *call);

/* The op is over before it was launched. Gives the status. */
int launch_refuse(struct nccl_room *room, struct dist_work *op, int status);

static inline ncclComm_t comm_of(const struct dist_work *op)
{
    return ((const struct nccl_group *)op->group->room)->comm;
}

static inline int place_in(const struct dist_group *group, int rank)
{
    int i = 0;
    while (group->ranks[i] != rank)
        i++;
    return i;
}

static inline bool has_root(const struct dist_work *op)
{
    return op->call == CALL_BROADCAST || op->call == CALL_REDUCE || op->call == CALL_SCATTER ||
           op->call == CALL_GATHER;
}

/* ---- watch.c --------------------------------------------------------------------------- */

/* NCCL does what it is asked in the background: wait until it has. `seconds` 0: DIST_TIMEOUT. */
int watch_settle(struct nccl_room *room, ncclComm_t comm, double seconds, char *why, size_t why_size);

/* Take note of what is over; then also look for errors and time limits. */
void watch_progress(struct nccl_room *room);
void watch_look(struct nccl_room *room);

/* The host waits until the op is over, or everything has failed. `deadline` 0: none but DIST_TIMEOUT. */
int watch_wait(struct nccl_room *room, struct dist_work *op, double deadline);

/* Abort everything: each op that is not over ends with this status. */
void watch_fail(struct nccl_room *room, int status, const char *why);

/* ---- check.c, slips.c, far.c ----------------------------------------------------------- */

/* What a rank says of an op before it is launched. */
struct card {
    uint8_t call, type, op;
    uint8_t side; /* enum side */
    uint16_t group;
    uint16_t unused;
    int32_t root; /* or the tag of a message */
    int32_t line;
    int64_t count;
    char file[40];
};
enum side { SIDE_SENDS, SIDE_RECEIVES, SIDE_MEMBER };

/* Two ranks show each other their cards: of a message, or of a collective. `first`: this rank speaks first. */
struct meeting {
    struct dist_work *op;
    int peer;
    bool first, shown, met;
    struct card mine, theirs;
};

/* Before these are launched (messages that go together, or one collective): does everybody mean the same? Those that do
 * not are over, with op->status. */
void check_agree(struct nccl_room *room, struct op_queue *ops);
bool check_is_due(const struct nccl_room *room);

/* Meet. Status: DIST_OK; DIST_ERR_TIMEOUT after `deadline` (0: none), with some not `met`; or the job's failure. */
int slips_meet(struct nccl_room *room, struct meeting *meetings, int count, double deadline);
int far_meet(struct nccl_room *room, struct meeting *meetings, int count);

/* A barrier on the host, within a machine: it can name those that do not come. */
int check_monitored(struct nccl_room *room, struct dist_work *op);

/* slips.c: rank 0 tells the others of its machine how to find it. */
int slips_share_id(struct nccl_room *room, ncclUniqueId *id, double seconds, char *why, size_t why_size);

#endif
