/*
 * control_trace.c: what the ranks of all machines have written down comes to node 0: their records (DIST_TRACE), with what brings their
 * clocks together, and their lists of calls (DIST_CHECK, DIST_BUFFERING).
 *
 * How far another machine's clock is ahead: the hub asks (CLOCK) at a, is answered with the other clock's time t, and hears that at b. The
 * answer was given at some moment between a and b, so t - (a + b) / 2 is wrong by (b - a) / 2 at most. Of sixteen the one counts that came
 * back first. That is done when the job begins and when it has ended: clocks do not run equally fast.
 */
#define _GNU_SOURCE
#include "job.h"

#include <string.h>

#define TURNS 16
#define CHUNK ((size_t)256 << 10)
#define AHEAD ((size_t)1 << 20) /* bytes that may wait for a slow cable */

/* Of a rank: its record, the lines of code that it names, and of its arena its list of calls. */
enum part { PART_TRACE, PART_SITES, PART_CALLS, PARTS };

/* ---- clocks ------------------------------------------------------------------------------------------------ */

static void control_trace_ask_clock(struct connection *link)
{
    link->clock.asked = launch_clock_ns();
    connection_put(link, (struct frame){ .kind = FRAME_CLOCK, .number = ++link->clock.question }, NULL);
}

void control_ask_clocks(struct job *job, bool at_end)
{
    for (int node = 1; node < job->plan.nodes->count; node++) {
        struct connection *link = &job->plan.nodes->links[node];
        link->clock.turns = TURNS;
        link->clock.at_end = at_end;
        control_trace_ask_clock(link);
    }
}

bool control_clocks_are_asked(const struct job *job)
{
    for (int node = 1; node < job->plan.nodes->count; node++)
        if (job->plan.nodes->links[node].fd >= 0 && job->plan.nodes->links[node].clock.turns > 0)
            return true;
    return false;
}

void control_take_clock(struct connection *link, const struct frame *frame)
{
    struct node_clock *clock = &link->clock;
    int64_t now = launch_clock_ns(), there = (int64_t)frame->more[0];
    if (frame->number != clock->question || clock->turns == 0)
        return;
    struct clock_reading *best = clock->at_end ? &clock->last : &clock->first;
    int64_t middle = clock->asked + (now - clock->asked) / 2, error = (now - clock->asked + 1) / 2;
    if (best->error == 0 || error < best->error)
        *best = (struct clock_reading){ .when = there, .ahead = there - middle, .error = error };
    if (--clock->turns > 0)
        control_trace_ask_clock(link);
}

/* ---- records ------------------------------------------------------------------------------------------------ */

static char *control_trace_part_of(const struct world *world, int rank, enum part part, size_t *room)
{
    const struct world_header *header = world->header;
    const struct {
        uint64_t begin, room;
    } parts[PARTS] = { [PART_TRACE] = { header->trace_offset, header->trace_bytes },
                       [PART_SITES] = { header->sites_offset, WORLD_SITES * sizeof(struct site) },
                       [PART_CALLS] = { header->arena_offset, header->arena_bytes } };
    *room = parts[part].room;
    return world_at(world, parts[part].begin + (uint64_t)rank * *room);
}

/* Not faster than the hub takes them. */
static void control_trace_say_part(struct job *job, int rank, enum part part, size_t from, size_t bytes)
{
    struct connection *hub = &job->plan.nodes->links[0];
    size_t room;
    const char *begin = control_trace_part_of(&job->world, rank, part, &room);
    for (size_t end = from + bytes, some; from < end && !job->over; from += some) {
        some = end - from < CHUNK ? end - from : CHUNK;
        while (hub->out.used > AHEAD && !job->over)
            job_watch_round(job, 1);
        connection_put(hub, (struct frame){ FRAME_TRACE, rank, some, { part, from, room } }, begin + from);
    }
}

/* The lines of code that both name come first, all of their places (64 KiB): they stand all over it. A list of calls only says whether it was luck that all went well. */
void control_say_records(struct job *job)
{
    const struct world_header *header = job->world.header;
    bool traced = setting_text("DIST_TRACE") != NULL;
    for (int rank = 0; rank < job->plan.size; rank++) {
        uint64_t arena = header->arena_offset + (uint64_t)rank * header->arena_bytes, from, bytes;
        uint64_t listed = world_failed(&job->world) ? 0 : watch_calls.listed(&job->world, rank);
        if (!world_has(&job->world, rank) || (!traced && listed == 0))
            continue;
        control_trace_say_part(job, rank, PART_SITES, 0, WORLD_SITES * sizeof(struct site));
        for (int i = 0; traced && watch_calls.traced(&job->world, rank, i, &from, &bytes); i++)
            control_trace_say_part(job, rank, PART_TRACE, from, bytes);
        if (listed > 0)
            control_trace_say_part(job, rank, PART_CALLS,
                                   atomic_load(&world_notes(&job->world, rank)->log) - arena, listed);
    }
}

/* A host on which less memory may be used (ulimit -v) has smaller parts, which do not fit together with ours. */
void control_take_trace(struct job *job, const struct frame *frame, const char *bytes)
{
    uint64_t part = frame->more[0], offset = frame->more[1];
    size_t room;
    if (part >= PARTS)
        return;
    char *to = control_trace_part_of(&job->world, frame->number, (enum part)part, &room);
    _Atomic uint64_t *calls = &world_notes(&job->world, frame->number)->log;
    if (frame->more[2] != room || offset > room || frame->bytes > room - offset)
        return;
    memcpy(to + offset, bytes, frame->bytes);
    if (part == PART_CALLS && atomic_load(calls) == 0) /* (a list comes from its beginning on) */
        atomic_store(calls, world_offset(&job->world, to + offset));
}

/* Another launcher's ranks: what they have written down is whole when all of this machine have left. */
void control_await_leavers(struct job *job)
{
    const struct nodes *nodes = job->plan.nodes;
    uint32_t here = (uint32_t)nodes_ranks_of(nodes, nodes->number);
    while (setting_text("DIST_TRACE") && !world_failed(&job->world) &&
           atomic_load(&job->world.header->leavers) < here)
        job_watch_round(job, 1);
}
