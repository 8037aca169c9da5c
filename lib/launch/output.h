/*
 * output.h: what the ranks print, on its way to the terminal.
 *
 *   live      [2] line        whole lines, as they come
 *   ordered   line            rank 0's as they come, the others' kept and printed rank by rank at the end
 */
#ifndef LAUNCH_OUTPUT_H
#define LAUNCH_OUTPUT_H

#include "buffer.h"

#define OUTPUT_LINE (64 * 1024)        /* longer lines are handed on in pieces */
#define OUTPUT_PIECE (16 * 1024)       /* read at once */
#define OUTPUT_KEPT (64 * 1024 * 1024) /* ordered: more of one rank is dropped, and said so */

/* One pipe: stdout or stderr of one rank. */
struct stream {
    int read_fd;        /* -1: at its end */
    int write_fd;       /* the child's end; -1 once it has it */
    int rank;           /* -1: the process that holds the ranks, not one of them */
    int target;         /* 0: our stdout, 1: our stderr */
    struct buffer held; /* live: the line so far; ordered: everything */
    size_t dropped;     /* bytes beyond OUTPUT_KEPT */
};

struct output {
    struct stream *streams; /* channel c has 2c (stdout) and 2c + 1 (stderr) */
    int count;
    int open;      /* pipes not at their end */
    int events_fd; /* epoll, over the pipes and the watcher's signals */
    bool ordered;
    bool colour[2];
    char *piece;            /* [OUTPUT_PIECE]: not on the stack, which may be small (ulimit -s) */
    struct buffer ready[2]; /* whole lines for stdout, stderr */
    int error[2];           /* errno of the write that failed; nothing is written after */
    void *argument;         /* of these, where the job is on several machines; else they are NULL: */
    void (*divert)(void *argument, int stream, const char *bytes, size_t size); /* where it goes instead */
    bool (*is_jammed)(const void *argument);                                    /* it cannot go there now */
    void (*meanwhile)(void *argument); /* called while our own output takes nothing */
    bool *owned;                       /* [fd]: the watcher's, closed in children */
    int owned_count;
};

/* Channels 0 .. ranks-1, and with `spare` one more for output that belongs to no rank. False: errno tells. */
bool output_open(struct output *output, int ranks, bool spare, bool ordered);
void output_close(struct output *output);

/* Make the two pipes of a channel; close the child's ends in the parent. */
bool output_make_pipes(struct output *output, int channel);
void output_parent_done(struct output *output, int channel);

/* Note a descriptor as the watcher's own; in a child, close all that were noted. */
void output_own(struct output *output, int fd);
void output_close_owned(const struct output *output);

/* Take what a pipe holds now. flush: write all whole lines. finish: no more will come; write the rest too. */
void output_read(struct output *output, int stream);
void output_take(struct output *output, int stream, const char *bytes,
                 size_t size); /* the same, read elsewhere */
void output_flush(struct output *output);
void output_finish(struct output *output);

#endif
