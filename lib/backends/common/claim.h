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
    char file[SITE_CHARS + 1];
};
enum side { SIDE_SENDS, SIDE_RECEIVES, SIDE_MEMBER };

struct claim claim_of(const struct dist_work *op);
void claim_stands(struct claim *claim, const char *file, int line); /* where the call is */
bool claims_differ(const struct claim *a, const struct claim *b);

/* The op has failed, since two ranks mean different things: DIST_ERR_MISMATCH, with the words. */
int claims_tell(struct dist_work *op, int rank_a, const struct claim *a, int rank_b, const struct claim *b);
/* Of a message that has met its receive: as the receiver and as the sender report it. */
void claims_say_receiver(struct why *why, int sender, const struct claim *send, const struct claim *recv);
void claims_say_sender(struct why *why, const struct claim *send, int receiver, const struct claim *recv);

/* The same for either, where NCCL orders messages without tags: also a group or a tag may differ. */
int claims_tell_message(struct dist_work *op, int sender, const struct claim *send, int receiver,
                        const struct claim *recv);

#endif
