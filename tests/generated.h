/*
 * generated.h: small random programs that carry a label: right, or wrong in one known way.
 *
 * A program is a table of steps for each rank; one interpreter carries them out by calls of dist.h. It is made in
 * three parts: events that are right (each adds the steps of all ranks that take part, in one order for all, so nobody
 * can hang); then, in a faulty program, one event that is wrong; then a tail. What the library must say of it is known
 * because it was built so, not because it was worked out afterwards.
 *
 *     build      generated_build.c   events that are right
 *     spoil      generated_spoil*.c  the one that is wrong, and what must come of it
 *     perform    generated_run.c     a rank carries out its steps, as calls (generated_calls.c)
 *     judge      generated_judge.c   a program as a child process: status, words, deadline
 */
#ifndef TESTS_GENERATED_H
#define TESTS_GENERATED_H

#include "reference.h"

#define GEN_RANKS 8
#define GEN_GROUPS 4
#define GEN_STEPS 120
#define GEN_SLOTS 120

/* What the label can say. */
enum gen_fault {
    FAULT_NONE,
    FAULT_CROSSED_SENDS,
    FAULT_RING_OF_SENDS,
    FAULT_RING_OF_RECEIVES,
    FAULT_SEND_TO_SELF,
    FAULT_WRONG_PEER,
    FAULT_WRONG_TAG,
    FAULT_WRONG_GROUP,
    FAULT_WRONG_SIZE,
    FAULT_WRONG_TYPE,
    FAULT_COLLECTIVE_MISSING,
    FAULT_COLLECTIVE_ORDER,
    FAULT_COLLECTIVE_GROUP,
    FAULT_OTHER_COLLECTIVE,
    FAULT_OTHER_ROOT,
    FAULT_OTHER_REDUCTION,
    FAULT_OTHER_COUNT,
    FAULT_OTHER_TYPE,
    FAULT_RANK_HAS_LEFT,
    FAULT_NO_SENDER,
    FAULT_ANYBODY_TAG,
    FAULT_ANY_OF_NONE,
    FAULT_ANYBODY_GROUP,
    FAULT_LATER_ROUND,
    FAULT_LUCK_OF_BUFFERS,
    FAULT_LUCK_OF_ORDER,
    FAULT_WRITE_WHILE_SENDING,
    FAULT_READ_TOO_EARLY,
    FAULT_OVERLAPPING_RECEIVES,
    FAULT_FREE_IN_FLIGHT,
    FAULT_LEAK_WORK,
    FAULT_LEAK_MESSAGE,
    FAULT_LEAK_TENSOR,
    FAULT_LEAK_GROUP,
    FAULT_COUNT
};

enum gen_op {
    GEN_SEND,
    GEN_RECV,
    GEN_ISEND,
    GEN_IRECV,
    GEN_WAIT,      /* for one slot */
    GEN_WAIT_ALL,  /* for all slots that are still open; */
    GEN_WAIT_ANY,  /* the same, each as it comes; */
    GEN_POLL,      /* or asked for again and again until they are over */
    GEN_BROADCAST, /* from here on collectives */
    GEN_REDUCE,
    GEN_ALL_REDUCE,
    GEN_SCATTER,
    GEN_GATHER,
    GEN_ALL_GATHER,
    GEN_REDUCE_SCATTER,
    GEN_ALL_TO_ALL,
    GEN_BARRIER,
    GEN_MONITORED_BARRIER, /* the last of them */
    GEN_COMPUTE,
    GEN_NEIGHBOUR, /* write beside a slice that is under way, on the same page: allowed */
    GEN_LOOK,      /* read a tensor that is being sent: allowed */
    GEN_WRITE,     /* change the tensor of a slot */
    GEN_READ,
    GEN_FREE,
    GEN_LEAK /* make a tensor and forget it */
};

/* One call of one rank. */
struct gen_step {
    enum gen_op op;
    int slot; /* tensors and work; what is started here is waited for under this number */
    int peer; /* of a message; the root of a collective */
    int tag;
    int group; /* 0: the world */
    enum dist_type type;
    int count; /* elements of the message, or of one block */
    enum dist_op reduction;
    int value;      /* what a message holds */
    int batch;      /* neighbours with the same number above 0 are started by one call */
    bool async;     /* a collective that is only started */
    bool slice;     /* the tensor is the inner part of a larger one */
    bool raw;       /* touch memory through a pointer, not by a call of the library */
    bool share;     /* use the tensor of the slot before instead of a new one */
    bool forgotten; /* never waited for */
};

struct gen_group {
    int ranks[GEN_RANKS], n;
};

/* What of the place where it runs a program must know. */
struct gen_where {
    bool checked;   /* DIST_CHECK=1 tells of luck, too */
    bool eager;     /* short messages are copied aside: what must not pass so is long */
    bool mixed;     /* some collectives are made of messages: of two that differ any two members are named */
    bool on_device; /* tensors lie on a device of their own: nothing is touched through a pointer */
    const char *backend; /* which the program names itself; NULL: none */
};

/* A program and its label. */
struct gen_program {
    uint64_t seed, dice;
    struct gen_where where;
    int size;
    struct gen_group groups[GEN_GROUPS]; /* the first is the world */
    int group_count;
    struct gen_step steps[GEN_RANKS][GEN_STEPS];
    int step_count[GEN_RANKS];
    int slot_count[GEN_RANKS];
    bool open[GEN_RANKS][GEN_SLOTS]; /* was started and has no wait yet */
    int events;                      /* how many so far; makes tags that nobody else uses */

    enum gen_fault fault;
    int status;              /* the exit status that must come of it */
    int guilty[2];           /* lines; 0: none */
    int named;               /* how many of them the report must name at least */
    int forgets;             /* rank that leaves its groups unfreed; -1: none */
    const char *settings[2]; /* "DIST_CHECK=1"; NULL where there is none */
};

/* ---- generated_program.c ------------------------------------------------------------- */

/* An empty program for `size` ranks, with some groups. */
void gen_begin(struct gen_program *p, uint64_t seed, int size);

/* Add a step to a rank's list; `start` gives it a slot of its own, open from here on. Both give its line. */
int gen_add(struct gen_program *p, int rank, struct gen_step step);
int gen_start(struct gen_program *p, int rank, struct gen_step step);

/* The line of a step, as reports name it: "program:3004" is step 4 of rank 2 (both from 0). */
int gen_line(int rank, int step);
#define GEN_GROUP_LINE(group) (10 + (group)) /* of dist_new_group, on every rank */

/* Chance, as the program's seed has it. */
int gen_dice(struct gen_program *p, int limit);
bool gen_chance(struct gen_program *p, int one_in);
void gen_shuffle(struct gen_program *p, int *ranks, int n);

bool gen_is_collective(enum gen_op op);
bool gen_has_root(enum gen_op op);
void gen_print(const struct gen_program *p);

/* ---- generated_build.c --------------------------------------------------------------- */

/* The bit of each rank in a set of ranks. */
#define GEN_ALL(p) ((1u << (p)->size) - 1)

/* Add `count` events that are right, among the ranks in `allowed`; in the end wait for everything that is open. */
void gen_events(struct gen_program *p, unsigned allowed, int count);
void gen_finish(struct gen_program *p);

/* Size, type and content of a message; what a collective does; the latter as a step of every member. */
struct gen_step gen_message(struct gen_program *p);
struct gen_step gen_collective(struct gen_program *p, int group, bool in_tail);
void gen_collective_by_all(struct gen_program *p, struct gen_step step);

/* ---- generated_spoil.c --------------------------------------------------------------- */

/* A whole program with this label. */
void gen_make(struct gen_program *p, uint64_t seed, int size, enum gen_fault fault,
              const struct gen_where *where);
void gen_make_right(struct gen_program *p, uint64_t seed, int size, const struct gen_where *where);
const char *gen_fault_name(enum gen_fault fault);
int gen_smallest(enum gen_fault fault);                /* the fewest ranks that can make this mistake */
int gen_size_for(enum gen_fault fault, uint64_t seed); /* so many or more */
uint64_t gen_first_seed(void);                         /* DIST_TEST_SEED, or another one each time */

/* ---- generated_run.c ------------------------------------------------------------------- */

#define GEN_WRONG_DATA 3 /* exit status of a rank that received something else than was sent */

/* Spawn the program's ranks, and let each carry out its steps `schedules` times, from the second time on with random
 * delays before every call. The exit status of the job. */
int gen_spawn(const struct gen_program *p, int schedules);

/* Many right programs in one job, of this seed and those after it; always with random delays. */
struct gen_many {
    uint64_t seed;
    int size, programs, schedules;
    struct gen_where where;
    volatile uint64_t *now; /* in memory that all share: the seed of the program under way; or NULL */
};

int gen_spawn_many(const struct gen_many *many);

/* ---- generated_judge.c -------------------------------------------------------------------- */

struct gen_verdict {
    int status; /* exit status; 128 + signal; -1: it did not end in time */
    double seconds;
    bool right;
    char said[8192]; /* what it wrote to stderr */
    char wrong[200]; /* what is not as the label says */
};

/* Where programs are run: settings, and what of them the program must know. */
#define GEN_SETTINGS 4
struct gen_place {
    const char *name;
    const char *settings[GEN_SETTINGS]; /* "BACKEND=gloo"; NULL from the first that is not used on */
    struct gen_where where;
    const char *needs; /* a file without which it cannot be run; NULL: none */
};

const struct gen_place *gen_place(int number); /* from 0 up to their count; one that is not here: the next */
int gen_place_count(void);

/* What the child of gen_judge becomes, where ranks are not started by dist_spawn; NULL: they are. */
extern void (*gen_starter)(const struct gen_place *place, const struct gen_program *p, int schedules);
/* MPICH's mpirun puts the statuses of all ranks together, bit by bit: of its own only counts whether it is 0. */
extern bool gen_any_failure;

void gen_judge(const struct gen_program *p, const struct gen_place *place, int schedules, double deadline,
               struct gen_verdict *verdict);
void gen_judge_many(const struct gen_many *many, const struct gen_place *place, double deadline,
                    struct gen_verdict *verdict);

#endif
