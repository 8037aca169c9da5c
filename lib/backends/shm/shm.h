/*
 * shm.h: the shared-memory room: ranks on one machine, mailboxes and boards in the world's memory.
 *
 * Two ideas carry everything.
 *
 * A LANE is the mailbox from one rank to another: one cache line. Only the sender writes it, only the receiver
 * reads it. It holds one message at a time: a short one itself, a long one as the offset of the sender's
 * tensor, from which the receiver copies once. lane.c has the protocol and the argument that it is right.
 *
 * A BOARD is where a group meets for collectives: every member pins up a card (what it calls, where its tensor
 * is), a barrier, and then everyone reads the others' tensors in place. board.c has the barrier,
 * collectives.c the plan of each collective: steps with a barrier between each two.
 *
 * The ENGINE of a rank (engine.c) owns the rank's open operations. Whoever waits drives it; while nobody does,
 * a helper thread that sleeps until there is news.
 */
#ifndef SHM_H
#define SHM_H

#include "../../backend.h"

#include <pthread.h>

#define LANE_BYTES 40           /* a message up to this long travels inside the lane */
#define LANE_FAR 255            /* lane.length of a longer one */
#define DIRECT_BYTES (32 << 10) /* above this the engine is unlocked while it copies */
#define TICKETS 65535           /* messages of one rank that can be parked at their receivers */
#define NO_TICKET 0xffff
#define SLOT_BYTES (16 << 10) /* a collective up to this size goes through the board */

/* What became of a message: the low two bits of lane.ack, or the value of a ticket. */
enum verdict { VERDICT_NONE, VERDICT_DONE, VERDICT_PARKED, VERDICT_REFUSED };

/* What a message says about itself. */
struct letter {
    int32_t tag;
    uint16_t group;  /* the group's id */
    uint16_t site;   /* where it was sent: a call site of the sender */
    uint8_t type;    /* enum dist_type */
    uint8_t length;  /* bytes of `text`, or LANE_FAR */
    uint16_t ticket; /* the sender's ticket to be stamped if the letter gets parked */
    uint32_t unused;
    union {
        unsigned char text[LANE_BYTES];
        struct {
            uint64_t offset; /* where the sender's data lies in the world */
            uint64_t bytes;
        } far;
    };
};

/* The mailbox from `src` to `dst`: written by src only. */
struct lane {
    alignas(WORLD_LINE) _Atomic uint32_t
        seq; /* how many letters src has put in, ever; top bit: more wait behind the last */
    _Atomic uint32_t
        ack; /* how many letters of dst src has taken out of the lane back, << 2, | verdict on the last */
    struct letter letter; /* the seq-th letter */
};
_Static_assert(sizeof(struct lane) == WORLD_LINE, "a lane is one cache line");

/* A letter that came before its receive: the receiver's private copy. */
struct parked {
    int src;
    struct letter letter;
    struct parked *next;
};

/* What a member of a group pins to the board for one collective. */
struct card {
    alignas(WORLD_LINE) _Atomic uint32_t seq; /* which collective of the group, from 1; written last */
    uint8_t call;
    uint8_t type;
    uint8_t op;
    int32_t root;
    uint32_t site;
    uint64_t count; /* elements of one block */
    uint64_t in;    /* offsets of the tensors; UINT64_MAX: none */
    uint64_t out;
};

/* Where a group meets. After it come cards[2][size], then slots[2][size] of SLOT_BYTES: two of each, used in turn, so
 * that the next collective can begin while slow members still read the last. Last the members' world ranks. */
struct board {
    alignas(WORLD_LINE) _Atomic uint32_t arrived; /* at the barrier that is under way */
    alignas(WORLD_LINE) struct bell phase;        /* `rings` counts completed barriers */
    _Atomic uint32_t listeners; /* members whose engine waits for the phase: ring them too */
    _Atomic uint32_t left;      /* members that have freed the group */
};

/* The room's view of a group. */
struct shm_group {
    struct dist_group *group;
    struct board *board;
    uint32_t seq;                   /* collectives begun by this rank */
    const void **views;             /* room for one address per member, used by the step that runs */
    struct dist_work *first, *last; /* collectives in the engine, in call order */
    struct shm_group *next;         /* groups with such collectives; or boards waiting to be freed */
};

/* One rank's room. Private; guarded by `lock` once there is a helper. */
struct shm_room {
    struct launch_self *self;
    struct world *world;
    int rank, size;
    struct lane *lanes;        /* size * size; lane(src, dst) */
    _Atomic uint32_t *tickets; /* size * TICKETS; enum verdict, stamped by receivers */
    size_t eager_bytes;        /* 0: rendezvous */
    struct shm_group world_group;

    pthread_mutex_t lock;
    bool threaded; /* other threads may call: take the lock */
    bool helper_runs;
    bool stop;           /* tells the helper to end */
    bool helper_listens; /* the helper is counted among the sleepers of slot.helper */
    int drivers;         /* threads inside wait */
    int open;            /* operations in the lists below */
    pthread_t helper;

    struct dist_work *sends, **sends_end; /* in the order posted */
    uint32_t visit;                       /* counts walks along the sends */
    uint32_t held[WORLD_MAX_RANKS]; /* the last walk on which an earlier send kept the lane to this peer */
    struct dist_work *recvs, **recvs_end;   /* in the order posted; none matches a parked letter */
    struct dist_work *copies, **copies_end; /* receives whose long letter (op->aside) is yet to be copied */
    struct parked *parked, **parked_end;    /* in the order they came */
    struct shm_group *groups;               /* those with collectives to drive */
    struct shm_group *retired;              /* freed groups whose board others may still use */
    int free_ticket_count;
    uint32_t tickets_used;          /* those from here on were never taken */
    uint16_t free_tickets[TICKETS]; /* given back; last, since most of it is never touched */
};

static inline struct lane *lane_between(const struct shm_room *room, int src, int dst)
{
    return &room->lanes[(size_t)dst * (size_t)room->size + (size_t)src];
}

static inline struct rank_slot *slot_of(const struct shm_room *room, int rank)
{
    return &room->world->header->slots[rank];
}

/* This rank's own. */
static inline struct rank_notes *notes_of(const struct shm_room *room)
{
    return world_notes(room->world, room->rank);
}

/* ---- lane.c: one letter from one rank to another -------------------------- */

bool lane_is_free(struct shm_room *room, int dst); /* the last letter to dst was taken */
bool lane_frees_soon(struct shm_room *room,
                     int dst); /* the same, but if not, the helper is told when it is */
enum verdict lane_verdict(struct shm_room *room, int dst);      /* on that letter */
struct letter *lane_letter(struct shm_room *room, int dst);     /* to be filled in: the lane must be free */
void lane_post(struct shm_room *room, int dst);                 /* off it goes */
void lane_copy(void *to, const void *from, size_t bytes);       /* a letter's text */
const struct letter *lane_peek(struct shm_room *room, int src); /* a letter not yet taken, or NULL */
void lane_take(struct shm_room *room, int src, enum verdict verdict);
void ticket_stamp(struct shm_room *room, int src, uint16_t ticket, enum verdict verdict);

/* ---- sends.c, recvs.c, letters.c: point to point ----------------------------- */

int shm_send(void *room, struct dist_work *op);
int shm_recv(void *room, struct dist_work *op);
bool sends_progress(struct shm_room *room);             /* true: something moved */
bool recvs_progress(struct shm_room *room, bool light); /* light: make no long copies */
bool letters_drop(struct shm_room *room,
                  struct dist_work *op); /* take it out of all lists; false: being copied */
bool letters_hopeless(struct shm_room *room, struct dist_work *op); /* its peer has left: it is dropped */
void list_remove(struct dist_work *op, struct dist_work **list, struct dist_work ***end);

static inline size_t letter_bytes(const struct letter *letter)
{
    return letter->length == LANE_FAR ? letter->far.bytes : letter->length;
}

static inline size_t bytes_of(const struct dist_work *op, struct span span)
{
    return (size_t)span.count * dtype_size(op->type);
}

/* ---- engine.c: the open operations of a rank ------------------------------- */

static inline void engine_lock(struct shm_room *room)
{
    if (room->threaded)
        pthread_mutex_lock(&room->lock);
}
static inline void engine_unlock(struct shm_room *room)
{
    if (room->threaded)
        pthread_mutex_unlock(&room->lock);
}
bool engine_progress(struct shm_room *room,
                     bool light); /* drive all that is open; light: only what is quick */
int engine_start(struct shm_room *room,
                 struct dist_work *op); /* op is in the lists: return or wait, as it asks */
void engine_done(struct shm_room *room, struct dist_work *op,
                 int status); /* it is over; no longer in a list */
bool shm_test(void *room, struct dist_work *op);
int shm_wait(void *room, struct dist_work *op);
void engine_flush(struct shm_room *room); /* until every send was taken or cannot be any more */

/* ---- helper.c: drives while nobody waits; all with the lock held, but stop ---- */

bool helper_start(struct shm_room *room); /* false: the system gives no thread */
void helper_stop(struct shm_room *room);
void helper_takes_over(struct shm_room *room);
void helper_rests(struct shm_room *room);
void helper_nudge(struct shm_room *room);

/* ---- board.c: where a group meets ------------------------------------------ */

size_t board_bytes(int size);
void board_clear(struct board *board, const struct dist_group *group);
struct card *board_card(const struct shm_group *g, int member, uint32_t seq);
void *board_slot(const struct shm_group *g, int member, uint32_t seq);
uint32_t board_arrive(struct shm_room *room,
                      struct shm_group *g); /* gives the phase to wait for the end of */
bool board_passed(const struct shm_group *g, uint32_t phase);
int board_wait(struct shm_room *room, struct shm_group *g, uint32_t phase, struct dist_work *op);
void board_pin(struct shm_room *room, struct shm_group *g, struct dist_work *op);
int board_check(struct shm_room *room, struct shm_group *g, struct dist_work *op); /* do all cards agree? */

uint64_t board_members_offset(const struct shm_room *room,
                              const struct shm_group *g); /* where its world ranks stand */

/* ---- notes.c: what this rank waits for, for others to read --------------------- */

/* Pin up `waited` (NULL: nothing, it is about to leave) and all that is open. `direct`: not in the engine. */
void notes_write(struct shm_room *room, const struct dist_work *waited, bool direct);

/* ---- plans.c, collectives.c: group operations ---------------------------------- */

/* Take the op's next step and arrive at the barrier behind it (op->phase). True: it was the last, or the cards do
 * not agree (op->status). */
bool plan_step(struct shm_room *room, struct shm_group *g, struct dist_work *op);

bool collective_progress(struct shm_room *room, struct shm_group *g, bool light); /* the first of g's queue */
bool collective_ready(const struct shm_group *g); /* the first of g's queue could take a step */
void collective_drop(struct shm_room *room, struct dist_work *op);

/* ---- the calls (collectives.c) ----------------------------------------------- */

int shm_collective(void *room, struct dist_work *op);

#endif
