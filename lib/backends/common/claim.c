/* claim.c: what a rank says of an op, and what differs between two, in words. */
#include "claim.h"
#include "../../launch/text.h"

#include <stdio.h>
#include <string.h>

void claim_stands(struct claim *claim, const char *file, int line)
{
    const char *name = text_file_in(file, SITE_CHARS);
    memcpy(claim->file, name, strlen(name) + 1); /* of each message: printing would take half a microsecond */
    claim->line = line;
}

/* What does not count for a call is 0 on all sides. */
struct claim claim_of(const struct dist_work *op)
{
    struct claim claim = { .call = (uint8_t)op->call, .group = (uint16_t)op->group->id };
    claim_stands(&claim, op->at.file, op->at.line);
    claim.type = (uint8_t)op->type;
    claim.host = !op->gpu && op->call != CALL_NEW_GROUP && op->call != CALL_BARRIER &&
                 op->call != CALL_MONITORED_BARRIER;
    if (op->p2p) {
        claim.side = op->sends ? SIDE_SENDS : SIDE_RECEIVES;
        claim.root = op->tag;
        claim.count = op->sends ? op->in.count : op->out.count;
    } else {
        claim.side = SIDE_MEMBER;
        claim.op = call_reduces(op->call) ? (uint8_t)op->op : 0;
        claim.root = call_has_root(op->call) ? op->group->ranks[op->peer] : 0;
        claim.count = op->block;
    }
    return claim;
}

/* ---- what differs, in words ------------------------------------------------------------------- */

static void claim_say_count(char *text, size_t size, int64_t block)
{
    if (block == BLOCK_SPLITS)
        snprintf(text, size, "gives splits");
    else
        snprintf(text, size, "has %lld element%s", (long long)block, block == 1 ? "" : "s");
}

static const char *claim_place(const struct claim *claim)
{
    return claim->host ? "host" : "GPU";
}

/* "rank 2 calls dist_reduce (x.c:17)": what one of two ranks says, where the other says something else. */
static bool claim_differ(const struct claim *a, const struct claim *b, char *say_a, char *say_b, size_t size)
{
    if (a->side != b->side || a->call != b->call) {
        snprintf(say_a, size, "calls %s", call_name(a->call));
        snprintf(say_b, size, "calls %s", call_name(b->call));
    } else if (a->group != b->group) {
        snprintf(say_a, size, "means group %d", a->group);
        snprintf(say_b, size, "means group %d", b->group);
    } else if (a->call == CALL_NEW_GROUP && a->count != b->count) {
        snprintf(say_a, size, "lists other ranks, or in another order");
        snprintf(say_b, size, "lists these");
    } else if (a->type != b->type) {
        snprintf(say_a, size, "has a tensor of %s", dtype_name(a->type));
        snprintf(say_b, size, "has a tensor of %s", dtype_name(b->type));
    } else if (a->count != b->count) {
        claim_say_count(say_a, size, a->count);
        claim_say_count(say_b, size, b->count);
    } else if (a->root != b->root) {
        snprintf(say_a, size, "names %d as the root", a->root);
        snprintf(say_b, size, "names %d as the root", b->root);
    } else if (a->op != b->op) {
        snprintf(say_a, size, "asks for %s", op_name(a->op));
        snprintf(say_b, size, "asks for %s", op_name(b->op));
    } else if (a->host != b->host) {
        snprintf(say_a, size, "has its tensor on the %s", claim_place(a));
        snprintf(say_b, size, "has its tensor on the %s", claim_place(b));
    } else {
        return false;
    }
    return true;
}

bool claims_differ(const struct claim *a, const struct claim *b)
{
    char words[48];
    return claim_differ(a, b, words, words, sizeof words);
}

int claims_tell(struct dist_work *op, int rank_a, const struct claim *a, int rank_b, const struct claim *b)
{
    char say_a[48], say_b[48];
    claim_differ(a, b, say_a, say_b, sizeof say_a);
    why_say(&op->why, "rank %d %s (%s:%d), rank %d %s (%s:%d)", rank_a, say_a, a->file, a->line, rank_b,
            say_b, b->file, b->line);
    op->speaker = rank_b + 1;
    return op->status = DIST_ERR_MISMATCH;
}

int claims_tell_message(struct dist_work *op, int sender, const struct claim *send, int receiver,
                        const struct claim *recv)
{
    if (send->group != recv->group)
        why_say(&op->why,
                "rank %d's send means group %d (%s:%d), and rank %d's receive means group %d (%s:%d)", sender,
                send->group, send->file, send->line, receiver, recv->group, recv->file, recv->line);
    else if (send->root != recv->root)
        why_say(&op->why,
                "rank %d sends with tag %d (%s:%d), and rank %d's next receive from it asks for tag %d "
                "(%s:%d), but NCCL takes messages in the order in which they were sent",
                sender, send->root, send->file, send->line, receiver, recv->root, recv->file, recv->line);
    else if (send->host != recv->host)
        why_say(&op->why,
                "rank %d sends from its %s (%s:%d), rank %d's receive has its tensor on the %s (%s:%d)",
                sender, claim_place(send), send->file, send->line, receiver, claim_place(recv), recv->file,
                recv->line);
    else
        why_say(&op->why,
                "rank %d sends %lld element%s of %s (%s:%d), rank %d's receive has room for exactly %lld of "
                "%s (%s:%d)",
                sender, (long long)send->count, send->count == 1 ? "" : "s", dtype_name(send->type),
                send->file, send->line, receiver, (long long)recv->count, dtype_name(recv->type), recv->file,
                recv->line);
    op->speaker = receiver + 1;
    return op->status = DIST_ERR_MISMATCH;
}

/* Do they differ in nothing but where their tensors lie? Not every backend minds that. */
static bool claim_lies_elsewhere(const struct claim *send, const struct claim *recv)
{
    return send->type == recv->type && send->count == recv->count && send->host != recv->host;
}

void claims_say_receiver(struct why *why, int sender, const struct claim *send, const struct claim *recv)
{
    if (claim_lies_elsewhere(send, recv))
        why_say(why, "rank %d sends from its %s (%s:%d), this receive has its tensor on the %s", sender,
                claim_place(send), send->file, send->line, claim_place(recv));
    else
        why_say(why,
                "rank %d sends %lld element%s of %s (%s:%d), this receive has room for exactly %lld of %s",
                sender, (long long)send->count, send->count == 1 ? "" : "s", dtype_name(send->type),
                send->file, send->line, (long long)recv->count, dtype_name(recv->type));
}

void claims_say_sender(struct why *why, const struct claim *send, int receiver, const struct claim *recv)
{
    if (claim_lies_elsewhere(send, recv))
        why_say(why, "rank %d receives on its %s (%s:%d), this message lies on the %s", receiver,
                claim_place(recv), recv->file, recv->line, claim_place(send));
    else
        why_say(why,
                "rank %d's receive (%s:%d) has room for exactly %lld of %s, this message has %lld element%s "
                "of %s",
                receiver, recv->file, recv->line, (long long)recv->count, dtype_name(recv->type),
                (long long)send->count, send->count == 1 ? "" : "s", dtype_name(send->type));
}
