/* dist_cpp_streams.h: the calls of dist_streams.h as functions of C++; dist_cpp.h tells how. */
#ifndef DIST_CPP_STREAMS_H
#define DIST_CPP_STREAMS_H

#include "dist_streams.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

DIST_CPP(int dist_set_device(dist_device device, DIST_CALLER), dist_set_device_at(at, device))
DIST_CPP(dist_stream *dist_stream_new(DIST_CALLER), dist_stream_new_at(at))
DIST_CPP(int dist_stream_free(dist_stream *stream, DIST_CALLER), dist_stream_free_at(at, stream))
DIST_CPP(dist_stream *dist_stream_use(dist_stream *stream, DIST_CALLER), dist_stream_use_at(at, stream))
DIST_CPP(void *dist_stream_native(dist_stream *stream = nullptr, DIST_CALLER),
         dist_stream_native_with({ at, stream }))
DIST_CPP(int dist_stream_synchronize(dist_stream *stream, DIST_CALLER),
         dist_stream_synchronize_at(at, stream))
DIST_CPP(int dist_synchronize(DIST_CALLER), dist_synchronize_at(at))
DIST_CPP(dist_event *dist_event_record(DIST_CALLER), dist_event_record_at(at))
DIST_CPP(int dist_event_wait(dist_event *event, DIST_CALLER), dist_event_wait_at(at, event))
DIST_CPP(bool dist_event_passed(dist_event *event, DIST_CALLER), dist_event_passed_at(at, event))
DIST_CPP(double dist_event_elapsed(dist_event *from, dist_event *to, DIST_CALLER),
         dist_event_elapsed_at(at, from, to))
DIST_CPP(int dist_event_free(dist_event *event, DIST_CALLER), dist_event_free_at(at, event))

#endif
