/* control.c: the watchers' connections, from the moment at which all have met, and what comes over them; control.h has the list. */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

void control_refuse(struct connection *link, int status, const char *why)
{
    connection_put(link, (struct frame){ FRAME_REFUSED, status, strlen(why) + 1, { 0 } }, why);
}

void control_refuse_all(struct nodes *nodes, int status, const char *why)
{
    for (int node = 0; nodes && node < nodes->count; node++)
        control_refuse(&nodes->links[node], status, why);
}

bool control_open(struct job *job)
{
    struct nodes *nodes = job->plan.nodes;
    struct world_header *header = job->world.header;
    job->hub = nodes->number == 0;
    for (int rank = 0; rank < nodes->size; rank++)
        header->slots[rank].node = nodes->node_of[rank];
    header->nodes = nodes->count;
    header->node = nodes->number;
    snprintf(header->address, sizeof header->address, "%s", nodes->address);
    if (job->hub && !decide_open(job))
        return false;
    job->output.away = job->hub ? NULL : &nodes->links[0];
    job->alive += job->hub ? nodes->size - world_has_before(&job->world, nodes->size) : 0;
    for (int node = 0; node < nodes->count; node++) {
        struct epoll_event event = { .events = EPOLLIN, .data.u64 = WATCH_NODES + (uint64_t)node };
        nodes->links[node].looked = job_clock();
        if (nodes->links[node].fd >= 0 &&
            epoll_ctl(job->output.events_fd, EPOLL_CTL_ADD, nodes->links[node].fd, &event) != 0)
            return false;
    }
    if (job->hub && setting_text("DIST_TRACE"))
        control_ask_clocks(job, false);
    return true;
}

/* ---- frames ------------------------------------------------------------------------------------------------- */

static void control_take_bootstrap(struct job *job, int node, const struct frame *frame, const char *bytes)
{
    struct world_bootstrap *memory = world_bootstrap(&job->world, frame->number);
    uint64_t offset = frame->more[0];
    if (offset > sizeof memory->bytes || frame->bytes > sizeof memory->bytes - offset)
        return;
    memcpy(memory->bytes + offset, bytes, frame->bytes);
    atomic_store(&memory->used, offset + frame->bytes);
    atomic_store(&memory->steps, frame->more[1]);
    if (job->hub) {
        job->others_joined = true;
        control_put_all(job, node, *frame, bytes);
    }
}

static void control_take_snapshot(struct job *job, const struct frame *frame, const char *bytes)
{
    struct buffer *snapshot = &job->ranks[frame->number].snapshot;
    snapshot->used = 0;
    buffer_add(snapshot, bytes, frame->bytes);
    if (job->stopping) { /* it tells where the rank was stopped */
        snapshot_unpack(&job->world, frame->number, snapshot);
        job_note_rank(job, frame->number);
    }
}

/* The hub's world says which failure was the first; there all others learn it. */
static void control_take_failure(struct job *job, int node, const char *bytes, size_t size)
{
    struct world_failure failure;
    if (size != sizeof failure)
        return;
    memcpy(&failure, bytes, size);
    failure.cause[sizeof failure.cause - 1] = '\0';
    bool first =
        world_fail(&job->world, failure.rank, (enum rank_end)failure.end, failure.code, failure.cause);
    for (int rank = 0; rank < job->plan.size; rank++) /* came before it, and tell where its ranks were */
        if (job->hub && job->plan.nodes->node_of[rank] == node)
            snapshot_unpack(&job->world, rank, &job->ranks[rank].snapshot);
    if (job->hub ? first : !job->said_failure) /* it is another's to tell */
        atomic_store(&job->world.header->permission, PERMISSION_DENIED);
    if (!job->hub && !job->said_failure) {
        job->said_failure = true;
        control_say_snapshots(job, &job->plan.nodes->links[0]);
    }
    if (job->hub)
        connection_put(&job->plan.nodes->links[node], (struct frame){ FRAME_FIRST, first, 0, { 0 } }, NULL);
}

static void control_take_end(struct job *job, const struct frame *frame)
{
    struct job_rank *rank = &job->ranks[frame->number];
    struct rank_slot *slot = &job->world.header->slots[frame->number];
    if (rank->end)
        return;
    rank->end = true;
    rank->status = (int)frame->more[1];
    job->alive--;
    atomic_store(&slot->pid, -1);
    atomic_store(&slot->state, (uint32_t)frame->more[0]);
}

/* What only the hub is told. */
static void control_take_from_node(struct job *job, int node, const struct frame *frame, const char *bytes)
{
    bool is_rank = frame->number >= 0 && frame->number < job->plan.size;
    if (frame->kind == FRAME_OUTPUT)
        output_take(&job->output, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_SNAPSHOT && is_rank)
        control_take_snapshot(job, frame, bytes);
    else if (frame->kind == FRAME_REPLY)
        decide_reply(job, node, frame, bytes);
    else if (frame->kind == FRAME_CLOCK)
        control_take_clock(&job->plan.nodes->links[node], frame);
    else if (frame->kind == FRAME_TRACE && is_rank)
        control_take_trace(job, frame, bytes);
    else if (frame->kind == FRAME_END && is_rank)
        control_take_end(job, frame);
    else if (frame->kind == FRAME_DONE)
        job->plan.nodes->links[node].done = true;
}

/* What only the others are. */
static void control_take_from_hub(struct job *job, const struct frame *frame)
{
    if (frame->kind == FRAME_FIRST)
        atomic_store(&job->world.header->permission, frame->number ? PERMISSION_GRANTED : PERMISSION_DENIED);
    else if (frame->kind == FRAME_PROBE)
        decide_probed(job, frame);
    else if (frame->kind == FRAME_CLOCK)
        control_put_all(job, -1, (struct frame){ FRAME_CLOCK, frame->number, 0, { launch_clock_ns() } },
                        NULL);
    else if (frame->kind == FRAME_GIVE_UP)
        world_give_up(&job->world);
    else if (frame->kind == FRAME_BYE) {
        job->over = true;
        job->hubs_status = frame->number;
    }
}

static void control_take(struct job *job, int node, const struct frame *frame, const char *bytes)
{
    bool is_rank = frame->number >= 0 && frame->number < job->plan.size;
    if (frame->kind == FRAME_BOOTSTRAP && is_rank)
        control_take_bootstrap(job, node, frame, bytes);
    else if (frame->kind == FRAME_FAIL)
        control_take_failure(job, node, bytes, frame->bytes);
    else if (frame->kind == FRAME_TOLD && world_failed(&job->world))
        world_told(&job->world);
    else if (frame->kind == FRAME_REFUSED)
        control_refused(job, node, frame, bytes);
    else if (frame->kind == FRAME_SIGNAL) {
        if (job->hub)
            control_put_all(job, node, *frame, bytes);
        job_interrupt(job, frame->number);
    } else if (job->hub)
        control_take_from_node(job, node, frame, bytes);
    else
        control_take_from_hub(job, frame);
}

void control_read(struct job *job, int node)
{
    struct connection *link = &job->plan.nodes->links[node];
    struct frame frame;
    const char *bytes;
    if (job->hub && output_is_behind(&job->output, OUTPUT_LINE)) { /* what they say waits, too */
        link->silent = 0;
        return;
    }
    bool open = connection_fill(link);
    while (link->fd >= 0 && connection_next(link, &frame, &bytes))
        control_take(job, node, &frame, bytes);
    if (!open && link->fd >= 0)
        control_lost(job, node, NULL);
}
