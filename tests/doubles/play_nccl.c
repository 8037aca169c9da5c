/*
 * play_nccl.c: lets any program run with BACKEND=nccl where there is no GPU: linked in, it puts the double in NCCL's place
 * (doubles/nccl), with ranks as threads and simulated GPUs. DOUBLE_LOG=file writes down what rank 1 asked NCCL for.
 *
 * Not part of any suite: chapters/12_real_gpus/stand_in.sh builds with it.
 */
#define _GNU_SOURCE
#include "nccl/double.h"

#include <stdio.h>
#include <stdlib.h>

#define WHOSE 1

/* In the process that holds the ranks there is something; in the watcher there is not. */
static void write_log(void)
{
    const char *path = getenv("DOUBLE_LOG"), *log = double_log(WHOSE);
    FILE *file = path && *log ? fopen(path, "w") : NULL;
    if (file) {
        fputs(log, file);
        fclose(file);
    }
}

__attribute__((constructor)) static void play(void)
{
    setenv("BACKEND", "nccl", 1);
    setenv("DEVICE", "sim", 1);
    setenv("DIST_RANKS", "threads", 1);
    double_play(&(struct double_script){ .moves = true });
    atexit(write_log);
}
