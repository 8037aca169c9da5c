/* watch_calls.c: see job.h. A file of its own: distrun needs no more of what stands above lib/launch. */
#define _GNU_SOURCE
#include "diagnose/diagnose.h"
#include "launch/job.h"
#include "trace/trace.h"

const struct watch_calls watch_calls = {
    .look = diagnose_look,
    .asleep = diagnose_asleep,
    .refresh = diagnose_refresh,
    .explain = diagnose_explain,
    .write = diagnose_lost,
    .review = replay_check,
    .after = trace_write,
    .listed = replay_bytes,
    .traced = trace_part,
};
