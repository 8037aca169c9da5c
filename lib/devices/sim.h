/*
 * sim.h: a simulated GPU, one for each rank.
 *
 *   memory   pages of the rank's arena. The program's view of them is closed; the streams use the second view, world.base
 *   streams  a queue and a thread each (sim_stream.c), that does what it was given (stream.h), in order
 *   events   count how often a stream came to them
 *   copies   between host and device go over a link that makes them as slow as DIST_SIM says (link.h); those who wait
 *            for it sleep, and the other streams go on
 *
 * Threads sleep on their rank's event count, like its own thread: whoever has changed something that others may wait
 * for notifies it, after the change (eventcount.h). Each stream's thread has a note of its own, so that the watcher can tell
 * when all have come to rest.
 */
#ifndef DEVICES_SIM_H
#define DEVICES_SIM_H

#include "link.h"
#include "stream.h"

struct sim {
    struct launch_self *self;
    struct stream *streams[GPU_STREAMS];
    struct link out, in; /* to the host, and from it */
    struct retired_list retired;
    void *staging;
    size_t staging_bytes;
};

/* ---- sim_stream.c ------------------------------------------------------------------------ */

extern const struct engine sim_engine;

struct stream *sim_stream_new(void *state, int number);
void sim_stream_free(struct stream *stream);
bool sim_stream_passed(struct stream *stream);

#endif
