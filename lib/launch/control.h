/*
 * control.h: what the watchers of a job's machines tell each other while it runs. Node 0's is the hub: each of the others has one
 * connection, to it; what concerns all it hands on.
 *
 * A connection that ends before BYE means that the launcher there was killed, and its ranks with it.
 */
#ifndef LAUNCH_CONTROL_H
#define LAUNCH_CONTROL_H

#include "nodes.h"
#include "spread.h"

/* Who says what when. In brackets: `number`, where it is not a rank; and behind a semicolon what `more` holds. */
enum frame_kind {
    FRAME_COME = 1, /* hub, once all nodes have come: start your ranks (1: it traces; 1: so do you, or not) */
    FRAME_REFUSED,  /* hub: nobody starts; or from either: I cannot start mine, and a sentence (a status) */
    FRAME_PING,     /* both, after a second of silence (control_out.c) */
    FRAME_OUTPUT,   /* nodes: what a rank has printed (the stream) */
    FRAME_BOOTSTRAP, /* nodes, and the hub to all others: what is new in a rank's bootstrap memory (; from where, its steps) */
    FRAME_SNAPSHOT, /* nodes, before they tell a failure, and when asked: snapshot.c */
    FRAME_FAIL,     /* nodes: the job has failed here; the hub takes the first, and hands it to all */
    FRAME_FIRST, /* hub, to the node: it was yours, so your rank tells the user; or not, and is silent (1, 0) */
    FRAME_TOLD,    /* both: the user has been told */
    FRAME_SIGNAL,  /* nodes, and the hub to all others: as if you had been asked to end, too (Ctrl-C) */
    FRAME_PROBE,   /* hub: do all of your ranks sleep? (the question; its wave) */
    FRAME_REPLY,   /* nodes; what it holds stands in decide.c (the same) */
    FRAME_GIVE_UP, /* hub: all that are still there are leaving, and nothing that is open can end */
    FRAME_CLOCK,   /* hub: what time is it? And the answer (the question; the time) */
    FRAME_TRACE, /* nodes, at their end: of what a rank has written down a piece (; which part, from where, its room) */
    FRAME_END,  /* nodes: a rank has ended (; its state, and how) */
    FRAME_DONE, /* nodes: all have, and have printed everything */
    FRAME_BYE   /* hub, at last (the job's exit status) */
};

#define PING_MS 1000 /* of silence */

struct job;

/* control.c: before the ranks start; false: no memory. */
bool control_open(struct job *job);

/* control_out.c: what there is to say, in each round of the watcher. */
void control_turn(struct job *job);
void control_put_all(struct job *job, int except, struct frame frame, const void *bytes);
void control_say_snapshots(struct job *job, struct connection *link);
void control_say_failure(struct job *job);

/* Take what has come over the connection to a node. */
void control_read(struct job *job, int node);

/* control_end.c: the host of that node is gone, and how; NULL: whoever spoke for it has ended. All is over here: wait until it is so everywhere. */
void control_lost(struct job *job, int node, const char *how);
/* It could not start its ranks. */
void control_refused(struct job *job, int node, const struct frame *frame, const char *why);
void control_finish(struct job *job);
void control_wait_no_more(struct job *job, int status); /* for other machines, which may never answer */
void control_bye(struct job *job, int status);
int control_verdict(struct job *job); /* of a node that is not the hub */

/* decide.c */
bool decide_open(struct job *job);
void decide_turn(struct job *job);
void decide_probed(struct job *job, const struct frame *probe);
void decide_reply(struct job *job, int node, const struct frame *frame, const char *bytes);

/* control_trace.c: clocks are asked, and answered; records are said, and taken. */
void control_ask_clocks(struct job *job, bool at_end);
void control_await_leavers(struct job *job);
bool control_clocks_are_asked(const struct job *job);
void control_take_clock(struct connection *link, const struct frame *frame);
void control_say_records(struct job *job);
void control_take_trace(struct job *job, const struct frame *frame, const char *bytes);

/* snapshot.c: what a rank has written down, with what that points to. Unpacked into its place in the hub's world. */
bool snapshot_pack(const struct world *world, int rank, struct buffer *to);
void snapshot_unpack(struct world *world, int rank, const struct buffer *from);

/* Also at the start, before there is a job. */
void control_refuse(struct connection *link, int status, const char *why);
void control_refuse_all(struct nodes *nodes, int status, const char *why); /* NULL: there are none */

#endif
