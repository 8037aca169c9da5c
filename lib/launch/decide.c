/*
 * decide.c: can any rank of any machine still move?
 *
 * On one machine that is read off the notes (diagnose.h): all sleep, and no event count was notified since. Between machines something may be on
 * its way. So every rank counts the messages that it sends to each rank, before it does, and those that it has heard, before it sleeps again
 * (rank_notes.sent, .heard); and the hub asks all watchers, in three waves, the next one only while all still sleep:
 *
 *   1  do all of your ranks sleep, and what have they sent and heard?     (often; it costs a frame)
 *   2  have them look again and write their notes anew, and show these    (diagnose/fresh.c)
 *   3  do they still sleep the same sleeps, and have counted nothing more?
 *
 * These are Mattern's four counters (1987). Between its replies to 2 and 3 each host's ranks slept all the time, so there is a moment,
 * after the last reply to 2 and before the first to 3, at which all slept at once; the counts of that moment are those of both replies;
 * and if as much was heard as was sent, to each rank that is still there, nothing was on its way. A rank that hears counts it only when it
 * is about to sleep again: whatever it does about it happens while more is sent than heard. So nobody will ever move.
 */
#define _GNU_SOURCE
#include "job.h"

#include <stdlib.h>
#include <string.h>

#define ASK_MS 10  /* between two waves, and, while nothing comes of them, */
#define REST_MS 40 /* at most */

struct tally {
    uint32_t sent, heard;             /* to this rank; by it */
    alignas(uint64_t) uint32_t there; /* it is of this host, and has not left (aligned as a reply is) */
};

/* One host's reply. */
struct reply {
    uint64_t sleeps; /* a number of the present sleep of all its ranks */
    uint32_t asleep, leaving;
    struct tally tallies[]; /* one for each rank of the job */
};

struct decision {
    int phase;                      /* 0: nobody was asked; else the wave */
    int number;                     /* of the question; replies to earlier ones are late */
    int replies;                    /* that have come */
    int64_t next;                   /* when to ask again, ms */
    int pause;                      /* and how much later then */
    alignas(uint64_t) char waves[]; /* the replies of all nodes to 1, to 2 and to 3 */
};

static size_t decide_reply_bytes(const struct job *job)
{
    return sizeof(struct reply) + (size_t)job->plan.nodes->size * sizeof(struct tally);
}

bool decide_open(struct job *job)
{
    size_t replies = 3 * (size_t)job->plan.nodes->count * decide_reply_bytes(job);
    struct decision *d = job->decision = calloc(1, sizeof *d + replies);
    if (d)
        d->pause = ASK_MS;
    return d != NULL;
}

/* ---- every node --------------------------------------------------------------------------------------------- */

/* What this host has to say. The counts stand between two looks at the sleeps, which must be the same. */
static void decide_look_here(struct job *job, int phase, struct reply *reply)
{
    struct tally *tallies = reply->tallies;
    uint64_t again;
    bool leaving;
    memset(reply, 0, decide_reply_bytes(job));
    if (world_failed(&job->world) || (phase == 2 && !watch_calls.refresh(&job->world, -1)))
        return;
    bool asleep = watch_calls.asleep(&job->world, &reply->sleeps, &leaving);
    for (int rank = 0; rank < job->plan.size; rank++) {
        const struct rank_notes *notes = world_notes(&job->world, rank);
        bool here = world_has(&job->world, rank);
        tallies[rank].sent = atomic_load(&notes->sent);
        tallies[rank].heard = here ? atomic_load(&notes->heard) : 0;
        tallies[rank].there = here && atomic_load(&job->world.header->slots[rank].state) < RANK_LEFT;
    }
    reply->asleep = asleep && watch_calls.asleep(&job->world, &again, &leaving) && again == reply->sleeps;
    reply->leaving = leaving;
}

void decide_probed(struct job *job, const struct frame *probe)
{
    struct connection *hub = &job->plan.nodes->links[0];
    struct frame frame = *probe;
    struct reply *reply = malloc(frame.bytes = decide_reply_bytes(job));
    if (!reply)
        return;
    frame.kind = FRAME_REPLY;
    decide_look_here(job, (int)frame.more[0], reply);
    if (frame.more[0] == 2)
        control_say_snapshots(job, hub);
    connection_put(hub, frame, reply);
    free(reply);
}

/* ---- the hub --------------------------------------------------------------------------------------------------- */

static struct reply *decide_reply_of(const struct job *job, int phase, int node)
{
    size_t place = (size_t)((phase - 1) * job->plan.nodes->count + node);
    return (struct reply *)(void *)(job->decision->waves + place * decide_reply_bytes(job));
}

/* All asleep, somebody there, and to each of those as much was sent as it has heard? */
static bool decide_is_still(const struct job *job, int phase)
{
    int nodes = job->plan.nodes->count, there = 0;
    for (int node = 0; node < nodes; node++)
        if (!decide_reply_of(job, phase, node)->asleep)
            return false;
    for (int rank = 0; rank < job->plan.nodes->size; rank++) {
        uint32_t sent = 0, heard = 0, is_there = 0;
        for (int node = 0; node < nodes; node++) {
            const struct tally *tally = &decide_reply_of(job, phase, node)->tallies[rank];
            sent += tally->sent;
            heard += tally->heard;
            is_there |= tally->there;
        }
        there += is_there != 0;
        if (is_there && sent != heard)
            return false;
    }
    return there > 0;
}

static bool decide_all_leave(const struct job *job)
{
    for (int node = 0; node < job->plan.nodes->count; node++)
        if (!decide_reply_of(job, 3, node)->leaving)
            return false;
    return true;
}

static void decided(struct job *job)
{
    if (decide_all_leave(job)) {
        control_put_all(job, -1, (struct frame){ .kind = FRAME_GIVE_UP }, NULL);
        world_give_up(&job->world);
        return;
    }
    for (int rank = 0; rank < job->plan.size; rank++)
        if (!world_has(&job->world, rank))
            snapshot_unpack(&job->world, rank, &job->ranks[rank].snapshot);
    world_tell_begins(); /* or a rank in whose process this is could end it before the others know */
    watch_calls.explain(&job->world);
    control_say_failure(job);
    world_tell_over();
}

static void decide_ask(struct job *job, int phase)
{
    struct decision *d = job->decision;
    d->phase = phase;
    d->number++;
    d->replies = 1;
    control_put_all(job, -1, (struct frame){ FRAME_PROBE, d->number, 0, { phase } }, NULL);
    decide_look_here(job, phase, decide_reply_of(job, phase, 0));
}

/* Not now. While a job computes it need not be asked often. */
static void decide_rest(struct decision *d)
{
    d->phase = 0;
    d->next = job_clock() + d->pause;
    d->pause = d->pause * 2 < REST_MS ? d->pause * 2 : REST_MS;
}

static void decide_go_on(struct job *job)
{
    struct decision *d = job->decision;
    bool still = decide_is_still(job, d->phase);
    if (still && d->phase == 1)
        d->pause = ASK_MS;
    if (still && d->phase < 3) {
        decide_ask(job, d->phase + 1);
        return;
    }
    size_t wave = decide_reply_bytes(job) * (size_t)job->plan.nodes->count;
    bool same = still && memcmp(decide_reply_of(job, 2, 0), decide_reply_of(job, 3, 0), wave) == 0;
    decide_rest(d);
    if (same && !world_failed(&job->world))
        decided(job);
}

void decide_reply(struct job *job, int node, const struct frame *frame, const char *bytes)
{
    struct decision *d = job->decision;
    if (frame->bytes != decide_reply_bytes(job) || frame->number != d->number ||
        (int)frame->more[0] != d->phase)
        return;
    memcpy(decide_reply_of(job, d->phase, node), bytes, frame->bytes);
    if (++d->replies == job->plan.nodes->count)
        decide_go_on(job);
}

void decide_turn(struct job *job)
{
    struct decision *d = job->decision;
    uint64_t sleeps;
    bool leaving;
    if (world_failed(&job->world) || atomic_load(&job->world.header->given_up))
        return;
    if (d->phase == 0 && job_clock() >= d->next && watch_calls.asleep(&job->world, &sleeps, &leaving))
        decide_ask(job, 1);
}
