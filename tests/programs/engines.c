/*
 * engines.c: a rank has a thread that never called, with the name of an engine's (an MPI, a GPU's driver). tests/test_several.c starts it.
 *
 *   engines late NUMBER   the program's own: it sends what the ranks wait for, a second later. So nobody may be told a deadlock
 *   engines opened        of an engine that the program itself has opened: it never sends, and the ranks wait for each other
 */
#define _GNU_SOURCE
#include "dist.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static const char *name;
static bool opened;

/* What shows that a library is loaded is that the system has it in the process's memory. */
static void open_an_engine(void)
{
    char folder[] = "/tmp/engine_XXXXXX", path[64];
    snprintf(path, sizeof path, "%s/libcuda.so.1", mkdtemp(folder) ? folder : "/tmp");
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    void *code = write(fd, "", 1) == 1 ? mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    unlink(path);
    rmdir(folder);
    if (code == MAP_FAILED)
        exit(1);
}

static void *work_on(void *argument)
{
    const int *to = argument;
    prctl(PR_SET_NAME, name);
    sleep(opened ? 60 : 1);
    tensor *t = tensor_full(DIST_F32, 1, 1);
    dist_send(t, *to);
    tensor_free(t);
    return NULL;
}

static void run(int rank, int size)
{
    int to = (rank + 1) % size;
    pthread_t thread;
    if (opened)
        open_an_engine();
    dist_init_process_group();
    tensor *t = tensor_zeros(DIST_F32, 1);
    pthread_create(&thread, NULL, work_on, &to);
    dist_recv(t, (rank + size - 1) % size);
    pthread_join(thread, NULL);
    tensor_free(t);
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "async", "transport", "cuda-worker", "NCCL feeder" };
    opened = argc > 1 && strcmp(argv[1], "opened") == 0;
    name = opened ? "cuda-EvtHandlr" : names[argc > 2 ? atoi(argv[2]) % 4 : 0];
    return dist_spawn(run, 2);
}
