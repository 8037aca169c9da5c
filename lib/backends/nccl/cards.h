/*
 * cards.h: what a rank says of an op before it is launched, so that others can compare: on the desk (desk.h), or from machine to
 * machine.
 */
#ifndef NCCL_CARDS_H
#define NCCL_CARDS_H

#include "room.h"

/* What a rank says of an op before it is launched. */
struct card {
    uint8_t call, type, op;
    uint8_t side; /* enum side */
    uint16_t group;
    uint16_t host; /* 1: its tensor lies there */
    int32_t root;  /* or the tag of a message */
    int32_t line;
    int64_t count;
    char file[40];
};
enum side { SIDE_SENDS, SIDE_RECEIVES, SIDE_MEMBER };

static inline bool has_root(const struct dist_work *op)
{
    return op->call == CALL_BROADCAST || op->call == CALL_REDUCE || op->call == CALL_SCATTER ||
           op->call == CALL_GATHER;
}

struct card card_of(const struct dist_work *op);
bool cards_differ(const struct card *a, const struct card *b);

/* The op has failed, since two ranks mean different things: DIST_ERR_MISMATCH, with the words. */
int cards_tell(struct dist_work *op, int rank_a, const struct card *a, int rank_b, const struct card *b);
int cards_tell_message(struct dist_work *op, int sender, const struct card *send, int receiver,
                       const struct card *recv);

/* Two ranks show each other their cards: of a message, or of a collective. `first`: this rank speaks first. */
struct meeting {
    struct dist_work *op;
    int peer;
    bool first, met;
    struct card mine, theirs;
};

/* Before these are launched (messages that go together, or one collective): does everybody mean the same? Those that do
 * not are over, with op->status. */
void check_agree(struct nccl_room *room, struct op_queue *ops);
bool check_is_due(const struct nccl_room *room);

/* Meet. Status: DIST_OK; or the job's failure. */
int far_meet(struct nccl_room *room, struct meeting *meetings, int count);

#endif
