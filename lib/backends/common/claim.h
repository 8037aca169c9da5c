/*
 * claim.h: what a rank says of an op, so that others can compare it with what they say of theirs: where both see it, in shared memory,
 * or sent from machine to machine.
 */
#ifndef COMMON_CLAIM_H
#define COMMON_CLAIM_H

#include "../../backend.h"

struct claim {
    uint8_t call, type, op;
    uint8_t side; /* enum side */
    uint16_t group;
    uint16_t host; /* 1: its tensor lies there */
    int32_t root;  /* a world rank; or the tag of a message */
    int32_t line;
    int64_t count;
    int64_t sends, expects; /* with splits, where a claim is for one member alone: to it, and from it */
    char file[40];
};
enum side { SIDE_SENDS, SIDE_RECEIVES, SIDE_MEMBER };

/* "has 3 elements" */
void claim_say_count(char *text, size_t size, int64_t block);

struct claim claim_of(const struct dist_work *op);
bool claims_differ(const struct claim *a, const struct claim *b);

/* The op has failed, since two ranks mean different things: DIST_ERR_MISMATCH, with the words. */
int claims_tell(struct dist_work *op, int rank_a, const struct claim *a, int rank_b, const struct claim *b);
/* Of a message that has met its receive: as the receiver and as the sender report it. */
void claims_tell_receiver(struct dist_work *op, int sender, const struct claim *send,
                          const struct claim *recv);
void claims_tell_sender(struct dist_work *op, const struct claim *send, int receiver,
                        const struct claim *recv);

/* The same for either, where NCCL orders messages without tags: also a group or a tag may differ. */
int claims_tell_message(struct dist_work *op, int sender, const struct claim *send, int receiver,
                        const struct claim *recv);

#endif
