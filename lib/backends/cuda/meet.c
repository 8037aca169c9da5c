/*
 * meet.c: the members of a collective come together, and see whether they agree.
 *
 * A rank's k-th collective on a group meets the others' k-th. The last to come compares what all have called, and has it
 * done, or tells all of them how they differ.
 */
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>

static struct meeting **find(struct cuda_job *job, const struct dist_work *op)
{
    struct meeting **at = &job->meetings;
    while (*at && ((*at)->group != op->group->id || (*at)->seq != op->phase))
        at = &(*at)->next;
    return at;
}

/* How b differs from a, as the two halves of "rank 2 <b>, rank 0 <a>". False: not at all. */
static bool differ(const struct dist_work *a, const struct dist_work *b, char *say_a, char *say_b,
                   size_t size)
{
    if (a->call != b->call) {
        snprintf(say_a, size, "calls %s", call_name(a->call));
        snprintf(say_b, size, "calls %s", call_name(b->call));
    } else if (a->call == CALL_NEW_GROUP && a->block != b->block) {
        snprintf(say_a, size, "lists other ranks");
        snprintf(say_b, size, "lists these");
    } else if (a->type != b->type) {
        snprintf(say_a, size, "has a tensor of %s", dtype_name(a->type));
        snprintf(say_b, size, "has a tensor of %s", dtype_name(b->type));
    } else if (a->block != b->block) {
        snprintf(say_a, size, "has %lld elements", (long long)a->block);
        snprintf(say_b, size, "has %lld elements", (long long)b->block);
    } else if (a->peer != b->peer) {
        snprintf(say_a, size, "names %d as the root", a->peer);
        snprintf(say_b, size, "names %d as the root", b->peer);
    } else if (a->op != b->op) {
        snprintf(say_a, size, "asks for %s", op_name(a->op));
        snprintf(say_b, size, "asks for %s", op_name(b->op));
    } else if (!a->gpu != !b->gpu) {
        snprintf(say_a, size, "has its tensor on the %s", a->gpu ? "GPU" : "host");
        snprintf(say_b, size, "has its tensor on the %s", b->gpu ? "GPU" : "host");
    } else {
        return false;
    }
    return true;
}

/* The first member that differs from member 0, with the words in its `why`. NULL: all agree. */
static struct dist_work *find_stray(struct cuda_job *job, const struct meeting *meeting)
{
    const struct dist_work *first = meeting->ops[0];
    for (int i = 1; i < meeting->size; i++) {
        struct dist_work *op = meeting->ops[i];
        char a[48], b[48];
        if (!differ(first, op, a, b, sizeof a))
            continue;
        int rank_a = rank_of(first), rank_b = rank_of(op);
        const struct world *world = room_of(job, op)->world;
        const struct site *at_a = world_site_at(world, rank_a, first->site);
        const struct site *at_b = world_site_at(world, rank_b, op->site);
        snprintf(op->why, sizeof op->why, "rank %d %s (%s:%d), rank %d %s (%s:%d)", rank_a, a, at_a->file,
                 at_a->line, rank_b, b, at_b->file, at_b->line);
        return op;
    }
    return NULL;
}

static void refuse(struct cuda_job *job, struct meeting *meeting, struct dist_work *stray)
{
    char why[sizeof stray->why];
    int speaker = rank_of(stray) + 1;
    snprintf(why, sizeof why, "%s", stray->why);
    for (int i = 0; i < meeting->size; i++) {
        snprintf(meeting->ops[i]->why, sizeof why, "%s", why);
        meeting->ops[i]->speaker = speaker;
        start_given(job, meeting->ops[i], DIST_ERR_MISMATCH);
    }
}

static struct meeting *call_meeting(struct cuda_job *job, const struct dist_work *op)
{
    size_t size = (size_t)op->group->size;
    struct meeting *meeting =
        calloc(1, sizeof *meeting + size * (sizeof *meeting->ops + sizeof *meeting->came));
    if (!meeting)
        return NULL;
    meeting->came = (bool *)(meeting->ops + size);
    meeting->group = op->group->id;
    meeting->seq = op->phase;
    meeting->size = op->group->size;
    meeting->next = job->meetings;
    return job->meetings = meeting;
}

void meet(struct cuda_job *job, struct dist_work *op)
{
    struct cuda_group *group = op->group->room;
    op->phase = ++group->seq;
    struct meeting **at = find(job, op), *meeting = *at ? *at : call_meeting(job, op);
    if (!meeting) {
        snprintf(op->why, sizeof op->why, "the system gives no memory for a collective");
        start_given(job, op, DIST_ERR_MEMORY);
        return;
    }
    meeting->ops[op->group->rank] = op;
    meeting->came[op->group->rank] = true;
    if (++meeting->arrived < meeting->size)
        return;
    *find(job, op) = meeting->next;
    struct dist_work *stray = find_stray(job, meeting);
    if (stray)
        refuse(job, meeting, stray);
    else
        plan_run(job, meeting);
    free(meeting);
}

bool meet_leave(struct cuda_job *job, const struct dist_work *op)
{
    struct meeting **at = find(job, op), *meeting = *at;
    int place = op->group->rank;
    if (!meeting || meeting->ops[place] != op)
        return false;
    meeting->ops[place] = NULL;
    if (--meeting->arrived == 0) {
        *at = meeting->next;
        free(meeting);
    }
    return true;
}

int meet_missing(struct cuda_job *job, const struct dist_work *op, char *list, size_t size)
{
    const struct meeting *meeting = *find(job, op);
    size_t length = 0;
    int count = 0;
    for (int i = 0; meeting && i < meeting->size; i++) {
        if (meeting->came[i])
            continue;
        if (length + 16 < size)
            length += (size_t)snprintf(list + length, size - length, "%s%d", count ? ", " : "",
                                       op->group->ranks[i]);
        count++;
    }
    return count;
}
