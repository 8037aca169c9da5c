/* control_end.c: how a job on several machines ends, with all of them or without one. */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define BYE_MS 2000 /* for the last words to be taken */

/* ---- a machine is lost ------------------------------------------------------------------------------------- */

/* Without the hub nothing is left to wait for. Of another machine the ranks count as stopped: it was not they who failed. */
static void control_end_without(struct job *job, int node, int status)
{
    if (!job->hub) {
        job->over = true;
        job->hubs_status = status;
        return;
    }
    for (int rank = 0; rank < job->plan.size; rank++) {
        if (job->plan.nodes->node_of[rank] != node || job->ranks[rank].end)
            continue;
        job->ranks[rank].end = true;
        job->ranks[rank].status = DIST_ERR_PEER_LOST << 8;
        job->alive--;
    }
}

/* MPICH's mpirun ends all of a machine when one ends, mostly before those beside it could tell which. */
static bool control_end_hides_which(const struct nodes *nodes)
{
    return nodes->foreign && nodes->self->env.launcher == LAUNCH_MPICH;
}

/* The rank that spoke for its machine has ended. */
static void control_end_fail_of_rank(struct job *job, int first)
{
    const struct nodes *nodes = job->plan.nodes;
    int node = nodes->node_of[first];
    char ranks[80];
    bool any = control_end_hides_which(nodes) && nodes_ranks_of(nodes, node) > 1;
    struct words cause = words_of("one of %s has ended, and the job cannot go on without it",
                                  nodes_ranks(nodes, node, ranks, sizeof ranks));
    world_fail(&job->world, first, any ? END_ERROR : END_EXIT, any ? DIST_ERR_PEER_LOST : -1,
               any ? cause.text : "");
}

/* Whoever spoke for that machine, or its cable, is gone. The watcher tells, of several ones node 1's; or where that was a rank, its own
 * machine's ranks do, as they see it, or those of the first machine that is left. */
static void control_end_fail_of_it(struct job *job, int first, bool is_rank, const char *why)
{
    const struct nodes *nodes = job->plan.nodes;
    uint32_t unknown = PERMISSION_UNKNOWN;
    bool speaks = job->hub || !nodes->foreign || nodes->number == 1;
    if (is_rank) { /* else those beside it */
        speaks &= job->hub || nodes_ranks_of(nodes, 0) == 1 || control_end_hides_which(nodes);
        control_end_fail_of_rank(job, first);
    } else if (speaks && world_fail_and_tell(&job->world, first, DIST_ERR_PEER_LOST, why)) {
        text_tell(why, TEXT_WIDTH_ALONE);
        if (job->hub)
            watch_calls.write(&job->world, first, DIST_ERR_PEER_LOST, why);
        world_told(&job->world);
        world_tell_over();
        world_wake(&job->world);
    } else if (!speaks)
        world_fail(&job->world, first, END_ERROR, DIST_ERR_PEER_LOST, why);
    if (!job->hub)
        atomic_compare_exchange_strong(&job->world.header->permission, &unknown,
                                       speaks ? PERMISSION_GRANTED : PERMISSION_DENIED);
}

void control_lost(struct job *job, int node, const char *how)
{
    struct connection *link = &job->plan.nodes->links[node];
    char ranks[80];
    struct why why;
    bool done = link->done || job->over;
    nodes_ranks(job->plan.nodes, node, ranks, sizeof ranks);
    why_say(&why, "host %s (node %d) %s; %s %s there", link->name, node, how ? how : "has lost its launcher",
            ranks, strncmp(ranks, "ranks", 5) == 0 ? "are" : "is");
    if (how && !done) /* a launcher that was stopped may go on, and read it: it has not lost us */
        control_refuse(link, DIST_ERR_PEER_LOST, why.text);
    epoll_ctl(job->output.events_fd, EPOLL_CTL_DEL, link->fd, NULL);
    connection_close(link);
    link->done = true;
    if (done)
        return;
    if (world_failed(&job->world) && !how)
        world_told(&job->world); /* there, or here, if it was that rank's to tell */
    control_end_fail_of_it(job, nodes_first(job->plan.nodes, node), !how && job->plan.nodes->foreign,
                           why.text);
    job->lost_hub = !job->hub;
    control_end_without(job, node, DIST_ERR_PEER_LOST);
}

void control_refused(struct job *job, int node, const struct frame *frame, const char *why)
{
    char text[300];
    snprintf(text, sizeof text, "host %s (node %d): %.*s", job->plan.nodes->links[node].name, node,
             (int)frame->bytes, why);
    world_fail(&job->world, -1, END_ERROR, frame->number, text);
    job->plan.nodes->links[node].done = true;
    control_end_without(job, node, frame->number);
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static bool control_end_all_are_done(const struct job *job)
{
    for (int node = 1; node < job->plan.nodes->count; node++)
        if (!job->plan.nodes->links[node].done)
            return false;
    return true;
}

void control_finish(struct job *job)
{
    control_turn(job);
    if (!job->hub) {
        control_say_records(job);
        control_put_all(job, -1, (struct frame){ .kind = FRAME_DONE }, NULL);
    }
    while (!job->over && !(job->hub && control_end_all_are_done(job)))
        job_watch_round(job, 10);
    if (job->hub && setting_text("DIST_TRACE"))
        control_ask_clocks(job, true);
    while (job->hub && !job->over && control_clocks_are_asked(job))
        job_watch_round(job, 10);
}

void control_wait_no_more(struct job *job, int status)
{
    if (!job->plan.nodes)
        return;
    job->over = true;
    job->hubs_status = status;
    for (int node = 1; job->hub && node < job->plan.nodes->count; node++)
        control_end_without(job, node, status);
}

/* Then all is said; a node that does not take it is left alone. */
void control_bye(struct job *job, int status)
{
    int64_t give_up = job_clock() + BYE_MS;
    if (!job->plan.nodes || !job->hub)
        return;
    control_put_all(job, -1, (struct frame){ .kind = FRAME_BYE, .number = status }, NULL);
    for (int node = 1; node < job->plan.nodes->count; node++)
        connection_drain(&job->plan.nodes->links[node], give_up);
}

int control_verdict(struct job *job)
{
    const struct nodes *nodes = job->plan.nodes;
    char text[300];
    if (job->hubs_status != 0 && !job->interrupt && !job->lost_hub) {
        snprintf(text, sizeof text, "distrun: the job has ended with %d; node 0 (%s) tells why",
                 job->hubs_status, nodes->links[0].name);
        text_tell(text, TEXT_WIDTH_ALONE);
    }
    return job->hubs_status;
}
