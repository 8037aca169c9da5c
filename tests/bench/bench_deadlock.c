/*
 * bench_deadlock.c: how long it takes until a deadlock is named: from the moment in which the last rank is about to make the
 * call that makes it complete, to the first word of the report.
 *
 * Every rank receives from the next one, and nobody sends. The last rank comes late.
 */
#define _GNU_SOURCE
#include "dist.h"
#include "timing.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LATE_US = 50000 };

/* Microseconds; seen by all ranks, and by the process that reads the report. */
static struct moments {
    _Atomic double stuck, named;
    atomic_int size;
} * moments;

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *x = tensor_zeros(DIST_F32, 1);
    dist_barrier();
    if (rank == world_size - 1) {
        usleep(LATE_US);
        moments->size = world_size;
        moments->stuck = now();
    }
    dist_recv(x, (rank + 1) % world_size);
    tensor_free(x);
    dist_destroy_process_group();
}

/* Reads all that is written to stderr from here on, and notes when it begins. Gives the reader. */
static pid_t listen_to_stderr(void)
{
    int ends[2];
    char text[4096];
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(1);
    }
    pid_t reader = fork();
    if (reader == 0) {
        close(ends[1]);
        while (read(ends[0], text, sizeof text) > 0)
            if (moments->named == 0)
                moments->named = now();
        _exit(0);
    }
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    return reader;
}

int main(void)
{
    int flags = MAP_SHARED | MAP_ANONYMOUS, out = dup(STDERR_FILENO);
    moments = mmap(NULL, sizeof *moments, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (moments == MAP_FAILED)
        return 1;
    pid_t reader = listen_to_stderr();
    int status = dist_spawn(run, 4);
    dup2(out, STDERR_FILENO);
    waitpid(reader, NULL, 0);
    if (status != DIST_ERR_DEADLOCK) {
        fprintf(stderr, "the job ended with status %d, not with %d, as a deadlock does\n", status,
                DIST_ERR_DEADLOCK);
        return 1;
    }
    tell("deadlock", moments->size, 0, moments->named - moments->stuck, "us");
    return 0;
}
