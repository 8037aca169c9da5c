/* control_out.c: what a watcher tells those of the other machines; control.h has the list. */
#define _GNU_SOURCE
#include "job.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define VANISHED_MS 5000 /* without a frame, in which nothing of ours was acknowledged either */
#define STUCK_MS 60000   /* without a frame of a launcher's, while its system takes all */
#define LOOK_MOST_MS 100 /* of silence that one look counts for */

/* From the hub to all but one; from another node to the hub. */
void control_put_all(struct job *job, int except, struct frame frame, const void *bytes)
{
    for (int node = 0; node < job->plan.nodes->count; node++)
        if (node != except)
            connection_put(&job->plan.nodes->links[node], frame, bytes);
}

/* ---- in each round ----------------------------------------------------------------------------------------- */

/* The bytes first: who sees a step sees them. */
static void control_out_say_bootstrap(struct job *job)
{
    for (int rank = 0; rank < job->plan.size; rank++) {
        struct job_rank *told = &job->ranks[rank];
        const struct world_bootstrap *memory = world_bootstrap(&job->world, rank);
        uint64_t steps = atomic_load(&memory->steps), used = atomic_load(&memory->used);
        if (!world_has(&job->world, rank) || (used == told->used && steps == told->steps))
            continue;
        struct frame frame = { FRAME_BOOTSTRAP, rank, used - told->used, { told->used, steps } };
        control_put_all(job, -1, frame, memory->bytes + told->used);
        told->used = used;
        told->steps = steps;
    }
}

void control_say_snapshots(struct job *job, struct connection *link)
{
    for (int rank = 0; rank < job->plan.size; rank++) {
        struct buffer snapshot = { 0 };
        if (world_has(&job->world, rank) && snapshot_pack(&job->world, rank, &snapshot))
            connection_put(link, (struct frame){ FRAME_SNAPSHOT, rank, snapshot.used, { 0 } },
                           snapshot.bytes);
        free(snapshot.bytes);
    }
}

/* Node 0's own rank tells it once all others can know. */
void control_say_failure(struct job *job)
{
    uint32_t unknown = PERMISSION_UNKNOWN;
    if (job->said_failure || !world_failed(&job->world))
        return;
    job->said_failure = true;
    if (!job->hub)
        control_say_snapshots(job, &job->plan.nodes->links[0]);
    const struct world_failure failure = *world_failure(&job->world);
    control_put_all(job, -1, (struct frame){ FRAME_FAIL, failure.rank, sizeof failure, { 0 } }, &failure);
    if (job->hub)
        atomic_compare_exchange_strong(&job->world.header->permission, &unknown, PERMISSION_GRANTED);
}

/* As the hub would have seen it: whom this watcher has stopped was not killed. */
static void control_out_say_ends(struct job *job)
{
    for (int rank = 0; rank < job->processes && !job->hub; rank++) {
        int status = job->ranks[rank].status, state = (int)atomic_load(&job->world.header->slots[rank].state);
        if (!world_has(&job->world, rank) || job->ranks[rank].pid != 0 || job->ranks[rank].end)
            continue;
        if (WIFSIGNALED(status) && !job_was_killed(job, rank))
            status = DIST_ERR_PEER_LOST << 8;
        job->ranks[rank].end = true;
        control_put_all(job, -1, (struct frame){ FRAME_END, rank, 0, { state, status } }, NULL);
    }
}

/* Does the system there still take what we send? Then host and cable are well, and its launcher is not let run. It acknowledges what comes,
 * whether or not its launcher reads it; and where that has read nothing for so long that no more fits in, it answers our system's
 * questions whether it now does (probes). */
static bool control_out_is_taken(const struct connection *link, int64_t within_ms)
{
    struct tcp_info tcp = { 0 };
    socklen_t size = sizeof tcp;
    if (getsockopt(link->fd, IPPROTO_TCP, TCP_INFO, &tcp, &size) != 0)
        return false;
    return (tcp.tcpi_unacked == 0 && tcp.tcpi_probes == 0) || tcp.tcpi_last_ack_recv < within_ms;
}

/* Who is silent, and whose system does not even acknowledge what we say, has vanished. Where that does, the launcher is not let run: it
 * was stopped, or others take all of the machine's processors. */
static void control_out_look_after(struct job *job, int node)
{
    struct connection *link = &job->plan.nodes->links[node];
    if (link->fd < 0)
        return;
    /* A side that is not let run hears nothing, which is not the other's fault. */
    int64_t now = job_clock(), since = now - link->looked;
    link->silent += since < LOOK_MOST_MS ? since : LOOK_MOST_MS;
    link->looked = now;
    if (link->silent > VANISHED_MS && !control_out_is_taken(link, VANISHED_MS))
        control_lost(job, node, "has not answered for 5 s");
    else if (link->silent > STUCK_MS)
        control_lost(job, node, "is there, but its launcher has not run for 60 s");
    if (link->fd >= 0 && link->looked - link->spoke > PING_MS && link->out.used == 0)
        connection_put(link, (struct frame){ .kind = FRAME_PING }, NULL);
    if (link->fd >= 0 && !connection_send(link))
        control_lost(job, node, NULL);
}

void control_turn(struct job *job)
{
    control_out_say_bootstrap(job);
    control_say_failure(job);
    if (!job->said_told && launch_is_told(&job->world)) {
        job->said_told = true;
        control_put_all(job, -1, (struct frame){ .kind = FRAME_TOLD }, NULL);
    }
    control_out_say_ends(job);
    if (job->hub)
        decide_turn(job);
    for (int node = 0; node < job->plan.nodes->count; node++)
        control_out_look_after(job, node);
}
