/* line.h: what is known while a file is written, and its lines. */
#ifndef TRACE_LINE_H
#define TRACE_LINE_H

#include "record.h"

#include <stdio.h>

struct named {
    uint32_t note; /* its struct group_note; 0: there was no room for one */
    uint32_t turn; /* how many of its collectives were written */
};

/* What is known while a file is written. */
struct writing {
    FILE *file;
    const struct world *world;
    const struct nodes *nodes; /* ranks of several machines; NULL: of this one */
    size_t events;             /* of all ranks, */
    size_t *first;             /* and where each rank's begin among them */
    uint32_t *message; /* per event: it carried this one, from 1 on; 0: none, or none that has two ends */
    uint64_t start;    /* the first event of all: time 0 */
    int rank;          /* that is being written, and of it: */
    uint64_t last;     /* the last time that it noted; what never ended seems to end there */
    const struct record *record;
    struct named *groups;       /* by id: the group that has it now */
    const struct event **order; /* its events by time */
    bool begun;                 /* a line is there: the next one needs a comma */
};

/* The thread numbers of the streams of a GPU begin here; the one before is communication. Viewers sort by them. */
#define LINE_STREAMS 1001

/* Start a line: a comma where one is due. And one by which a viewer learns the name of a rank, or of one of its threads: up to what it is. */
void line_begin(struct writing *w);
void line_begin_name(struct writing *w, const char *what, int thread, const char *key);

/* The slice of an event that is there, and the start or the end of the arrow of its message. */
void line_event(struct writing *w, const struct event *event);

/* hosts.c: all events by node 0's clock. Once; nodes may be NULL. */
void hosts_bring_together(const struct world *world, const struct nodes *nodes);

/* Which hosts there were, and how far their times may be wrong. */
void hosts_write(struct writing *w);

/* The rank's host, as viewers show it. */
void hosts_write_label(struct writing *w);

#endif
