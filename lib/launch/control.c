/* control.c: the watchers' connections, from the moment at which all have met, and what comes over them; control.h has the list. */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

void control_come(struct connection *link, bool says_trace)
{
    const char *trace = setting_text("DIST_TRACE") ? "traced" : "";
    connection_put(link, FRAME_COME, 0, 0, trace, says_trace ? strlen(trace) + 1 : 0);
}

void control_refuse(struct connection *link, int status, const char *why)
{
    connection_put(link, FRAME_REFUSED, status, 0, why, strlen(why) + 1);
}

void control_refuse_all(struct nodes *nodes, int status, const char *why)
{
    for (int node = 0; nodes && node < nodes->count; node++)
        control_refuse(&nodes->links[node], status, why);
}

int control_is_come(const struct frame *frame, const char *bytes, struct why *why)
{
    if (frame->kind == FRAME_COME) {
        if (frame->bytes > 0)
            control_follow_trace(bytes, frame->bytes);
        return 0;
    }
    int status = frame->kind == FRAME_REFUSED && frame->number > 0 ? frame->number : DIST_ERR_STATE;
    return why_fail(status, why, "%.*s", (int)frame->bytes, frame->bytes > 0 ? bytes : "");
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

static void control_take_bootstrap(struct job *job, int node, int rank, const char *bytes, size_t size)
{
    struct world_bootstrap *memory = world_bootstrap(&job->world, rank);
    uint64_t head[2];
    if (size < sizeof head)
        return;
    memcpy(head, bytes, sizeof head);
    size_t length = size - sizeof head;
    if (head[0] > sizeof memory->bytes || length > sizeof memory->bytes - head[0])
        return;
    memcpy(memory->bytes + head[0], bytes + sizeof head, length);
    atomic_store(&memory->used, head[0] + length);
    atomic_store(&memory->steps, head[1]);
    if (job->hub)
        control_put_all(job, node, FRAME_BOOTSTRAP, rank, 0, bytes, size);
}

static void control_take_snapshot(struct job *job, int rank, const char *bytes, size_t size)
{
    struct buffer *snapshot = &job->ranks[rank].snapshot;
    if (!buffer_reserve(snapshot, size))
        return;
    snapshot->used = 0;
    buffer_add(snapshot, bytes, size);
    if (job->stopping) { /* it tells where the rank was stopped */
        snapshot_unpack(&job->world, rank, snapshot);
        job_note_rank(job, rank);
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
    bool first = world_fail_as(&job->world, &failure);
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
        connection_put(&job->plan.nodes->links[node], FRAME_FIRST, first, 0, NULL, 0);
}

static void control_take_end(struct job *job, int rank, int state, const char *bytes, size_t size)
{
    if (size != sizeof job->ranks[rank].status || job->ranks[rank].end)
        return;
    job->ranks[rank].end = true;
    memcpy(&job->ranks[rank].status, bytes, size);
    job->alive--;
    struct rank_slot *slot = &job->world.header->slots[rank];
    atomic_store(&slot->pid, -1);
    atomic_store(&slot->state, (uint32_t)state);
}

/* What only the hub is told. */
static void control_take_from_node(struct job *job, int node, const struct frame *frame, const char *bytes)
{
    bool is_rank = frame->number >= 0 && frame->number < job->plan.size;
    if (frame->kind == FRAME_OUTPUT)
        output_take(&job->output, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_JOINED)
        job->others_joined = true;
    else if (frame->kind == FRAME_SNAPSHOT && is_rank)
        control_take_snapshot(job, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_REPLY)
        decide_reply(job, node, frame->more, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_CLOCK)
        control_take_clock(&job->plan.nodes->links[node], frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_TRACE && is_rank)
        control_take_trace(job, frame->number, frame->more, bytes, frame->bytes);
    else if (frame->kind == FRAME_END && is_rank)
        control_take_end(job, frame->number, frame->more, bytes, frame->bytes);
    else if (frame->kind == FRAME_DONE)
        job->plan.nodes->links[node].done = true;
}

/* What only the others are. */
static void control_take_from_hub(struct job *job, const struct frame *frame)
{
    if (frame->kind == FRAME_FIRST)
        atomic_store(&job->world.header->permission, frame->number ? PERMISSION_GRANTED : PERMISSION_DENIED);
    else if (frame->kind == FRAME_PROBE)
        decide_probed(job, frame->more, frame->number);
    else if (frame->kind == FRAME_CLOCK) {
        int64_t now = launch_clock_ns();
        connection_put(&job->plan.nodes->links[0], FRAME_CLOCK, frame->number, 0, &now, sizeof now);
    } else if (frame->kind == FRAME_GIVE_UP)
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
        control_take_bootstrap(job, node, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_FAIL)
        control_take_failure(job, node, bytes, frame->bytes);
    else if (frame->kind == FRAME_TOLD && world_failed(&job->world))
        world_told(&job->world);
    else if (frame->kind == FRAME_REFUSED)
        control_refused(job, node, frame->number, bytes, frame->bytes);
    else if (frame->kind == FRAME_SIGNAL) {
        if (job->hub)
            control_put_all(job, node, FRAME_SIGNAL, frame->number, 0, NULL, 0);
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
