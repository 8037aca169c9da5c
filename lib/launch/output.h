/*
 * output.h: what the ranks print, on its way to the terminal.
 *
 *   live      [2] line        whole lines, as they come
 *   ordered   line            rank 0's as they come, the others' kept and printed rank by rank at the end
 */
#ifndef LAUNCH_OUTPUT_H
#define LAUNCH_OUTPUT_H

#include "control.h"

#define OUTPUT_LINE (64 * 1024)        /* longer lines are handed on in pieces */
#define OUTPUT_PIECE (16 * 1024)       /* read at once */
#define OUTPUT_KEPT (64 * 1024 * 1024) /* ordered: more of one rank is dropped, and said so */
#define OUTPUT_AWAY (16 * OUTPUT_LINE) /* so much may wait for a slow connection */

/* Of whole lines: a piece may be of empty ones, each of which is 17 bytes long with its coloured rank. */
#define OUTPUT_ROOM (2 * OUTPUT_LINE + 20 * OUTPUT_PIECE)

/* One pipe: stdout or stderr of one rank. */
struct stream {
    int read_fd;        /* -1: at its end */
    int write_fd;       /* the child's end; -1 once it has it */
    int rank;           /* -1: the process that holds the ranks, not one of them */
    int target;         /* 0: our stdout, 1: our stderr */
    struct buffer held; /* live: the line so far; ordered: everything */
    size_t dropped;     /* bytes beyond OUTPUT_KEPT */
    size_t handed;      /* ordered, at the end: so many of those held were handed on */
};

struct output {
    struct stream *streams; /* channel c has 2c (stdout) and 2c + 1 (stderr) */
    int count;
    int open;      /* pipes not at their end */
    int events_fd; /* epoll, over the pipes and the watcher's signals */
    bool ordered;
    bool colour[2];
    char *piece;             /* [OUTPUT_PIECE]: not on the stack, which may be small (ulimit -s) */
    struct buffer ready[2];  /* whole lines for stdout, stderr */
    bool hurried;            /* a signal ends the job: a reader that has stopped is not waited for */
    int error[2];            /* errno of the write that failed; nothing is written after */
    struct connection *away; /* to node 0, at whose terminal it comes out; NULL: here */
};

/* Channels 0 .. ranks-1, and with `spare` one more for output that belongs to no rank. False: errno tells. */
bool output_open(struct output *output, int ranks, bool spare, bool ordered);
void output_close(struct output *output);

/* Make the two pipes of a channel; close the child's ends in the parent. */
bool output_make_pipes(struct output *output, int channel);
void output_parent_done(struct output *output, int channel);

/* Take what a pipe holds now, or some of it; nothing while our own reader is behind: so its ranks wait for it. */
void output_read(struct output *output, int stream);
void output_take(struct output *output, int stream, const char *bytes, size_t size); /* read elsewhere */

/* Write whole lines, as many as our reader takes now. Do more bytes than `most` wait for it? */
void output_flush(struct output *output);
bool output_is_behind(const struct output *output, size_t most);

/* So many bytes are in the pipe. No more will come: hand on a line without end, and what was kept, of that a part; true: there is more. */
size_t output_left_in(const struct output *output, int stream);
bool output_end_stream(struct output *output, int stream);

#endif
