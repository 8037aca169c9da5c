/*
 * match_table.h: the match table of ranks that share memory: which send meets which receive, and which calls are one collective.
 *
 * A rank SHOWS an op: an entry says what it claims. A send looks among the posted receives of its destination, a receive among the
 * unexpected messages that have come for it, each in the order in which they were shown; whoever finds nothing joins its queue.
 * So messages with one tag never pass each other, and those with different tags may. A rank's k-th collective of a group meets
 * the others' k-th; the last to come compares them all.
 *
 * Nothing here is a pointer that others follow: entries have numbers, from 1 on; 0 is none. The backend has a lock, and holds it.
 */
#ifndef NCCL_TABLE_H
#define NCCL_TABLE_H

#include "../common/claim.h"
#include "../common/members.h"
#include "../common/splits.h"

struct table_list { /* of entries, by `next` */
    uint32_t first, last;
};

struct table_entry {
    struct claim claim;
    uint64_t op;  /* its rank's pointer: only that rank follows it */
    int32_t rank; /* whose it is, */
    int32_t peer; /* and with whom: of a message; once it has met its other half, a receive knows who sends */
    int16_t place; /* collectives: in the group, */
    int16_t size;  /* of so many; */
    int32_t group; /* which group of the job, */
    uint32_t seq;  /* and which collective of it */
    uint32_t site;
    uint32_t next;
    uint32_t mate;             /* of a message: the other half; of a collective: the next that has come, */
    uint32_t head;             /* and the first */
    uint32_t first, differing; /* these two do not claim the same; 0: all do */
    bool open;                 /* it has met nobody yet, or not all */
    bool left;                 /* its rank has given it up; it still counts as one that came, */
    bool late;                 /* and this one does not: it came after that */

    /* the backend's (host.c) */
    bool second;
    uint32_t computed;
    uint64_t in, out;   /* tensors of the host, as offsets in the world; */
    uint64_t splits;    /* and dist_work.splits; */
    struct clash clash; /* what of them does not agree: sent != expected */
};

struct table_rank {
    _Atomic uint32_t agreed_count; /* so that a look costs no lock */
    uint32_t used;                 /* entries that were ever used */
    struct table_list free;
    struct table_list unexpected; /* messages to it that no receive has asked for: the senders' entries */
    struct table_list posted;     /* its receives that no message has come for */
    struct table_list agreed;     /* the backend's: what has met, and is to be taken by its rank */
};

struct table {
    int size;
    uint32_t most;              /* entries that a rank can have */
    struct table_list meetings; /* collectives that not all have come to: the entry of who came first */
    struct table_rank ranks[];  /* then all entries */
};

/* How many bytes a table takes with so many ranks, and entries of each. It is all 0 at first, but for size and most. */
static inline size_t table_bytes(int size, uint32_t most)
{
    return sizeof(struct table) +
           (size_t)size * (sizeof(struct table_rank) + (size_t)most * sizeof(struct table_entry));
}

static inline struct table_entry *table_at(struct table *table, uint32_t number)
{
    return (struct table_entry *)(table->ranks + table->size) + (number - 1);
}
static inline struct dist_work *table_op(const struct table_entry *entry)
{
    return (struct dist_work *)(uintptr_t)entry->op;
}
static inline uint32_t table_first_of(const struct table *table, int rank)
{
    return (uint32_t)rank * table->most + 1;
}

void table_add(struct table *table, struct table_list *list, uint32_t number);
bool table_remove(struct table *table, struct table_list *list, uint32_t number);
void table_free(struct table *table, uint32_t number);

/* Show an op; of a collective `seq` is its number in the group. Gives its entry; 0: this rank has none left. */
uint32_t table_show(struct table *table, int rank, const struct dist_work *op, uint32_t seq);

/* Whom does it meet? Of a message: the other half; both are out of their queues. Of a collective: the entry that came first, once
 * all have come. 0: it has to wait. */
uint32_t table_meet(struct table *table, uint32_t number);

/* Give up this op, or all (NULL) of a rank that have not met. */
void table_withdraw(struct table *table, int rank, const struct dist_work *op);

/* Has the group's member at this place come to the collective, before anybody had given it up? And who has not? */
bool table_has_come(struct table *table, const struct dist_work *op, int place);
void table_absent(struct table *table, const struct dist_work *op, struct absent *absent);

/* For the watcher: the messages that have come to this rank and that no receive has asked for. */
void table_note(struct table *table, int rank, struct rank_notes *notes);

#endif
