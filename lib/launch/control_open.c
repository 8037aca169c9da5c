/* control_open.c: the watchers' connections, from the moment at which all have met. */
#define _GNU_SOURCE
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

void control_come(struct connection *link, bool says_trace)
{
    const char *trace = control_is_traced() ? "traced" : "";
    connection_put(link, FRAME_COME, 0, 0, trace, says_trace ? strlen(trace) + 1 : 0);
    connection_send(link);
}

void control_refuse(struct connection *link, int status, const char *why)
{
    connection_put(link, FRAME_REFUSED, status, 0, why, strlen(why) + 1);
    connection_send(link);
}

void control_refuse_all(struct nodes *nodes, int status, const char *why)
{
    for (int node = 0; nodes && node < nodes->count; node++)
        control_refuse(&nodes->links[node], status, why);
}

int control_is_come(struct connection *link, struct why *why)
{
    struct frame frame;
    const char *bytes;
    if (!connection_next(link, &frame, &bytes))
        return -1;
    if (frame.kind == FRAME_COME) {
        if (frame.bytes > 0)
            control_follow_trace(bytes, frame.bytes);
        return 0;
    }
    why_say(why, "%.*s", (int)frame.bytes, frame.bytes > 0 ? bytes : "");
    return frame.kind == FRAME_REFUSED && frame.number > 0 ? frame.number : DIST_ERR_STATE;
}

struct control *control_open(struct job *job)
{
    struct nodes *nodes = job->plan.nodes;
    struct world_header *header = job->world.header;
    struct control *control = calloc(1, sizeof *control);
    job->control = control;
    if (!control)
        return NULL;
    control->nodes = nodes;
    control->hub = nodes->number == 0;
    for (int rank = 0; rank < nodes->size; rank++)
        header->slots[rank].node = nodes->node_of[rank];
    header->nodes = nodes->count;
    header->node = nodes->number;
    snprintf(header->address, sizeof header->address, "%s", nodes->address);
    control->relayed = calloc((size_t)nodes->size, sizeof *control->relayed);
    control->snapshots = calloc((size_t)nodes->size, sizeof *control->snapshots);
    if (!control->relayed || !control->snapshots || (control->hub && !decide_open(control)))
        return NULL;
    job->output.away = control->hub ? NULL : &nodes->links[0];
    job->alive += control->hub ? nodes->size - world_has_before(&job->world, nodes->size) : 0;
    for (int node = 0; node < nodes->count; node++) {
        struct epoll_event event = { .events = EPOLLIN, .data.u64 = WATCH_NODES + (uint64_t)node };
        nodes->links[node].looked = job_clock();
        if (nodes->links[node].fd >= 0 &&
            epoll_ctl(job->output.events_fd, EPOLL_CTL_ADD, nodes->links[node].fd, &event) != 0)
            return NULL;
    }
    return control;
}

void control_close(struct job *job)
{
    struct control *control = job->control;
    if (!control)
        return;
    for (int rank = 0; control->snapshots && rank < control->nodes->size; rank++)
        free(control->snapshots[rank].bytes);
    decide_close(control);
    free(control->snapshots);
    free(control->relayed);
    free(control);
    job->control = NULL;
}
