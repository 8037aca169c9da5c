/* conform_exam.c: see conform_exam.h. */
#define _GNU_SOURCE
#include "conform_exam.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BOARD_BYTES 256

/* dist_spawn hands no argument to its ranks: they find their exam here, by fork or as threads. */
static struct exam *current;

static uint64_t new_seed(void)
{
    const char *given = getenv("DIST_TEST_SEED");
    struct timespec now;
    if (given != NULL)
        return strtoull(given, NULL, 0);
    clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec) % 1000000000u;
}

static void *shared(const char *path, size_t bytes)
{
    int fd = path != NULL ? open(path, O_RDWR) : -1;
    void *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);
    if (memory == MAP_FAILED)
        abort();
    if (fd >= 0)
        close(fd);
    return memory;
}

struct exam *exam_new(const char *name, int size)
{
    struct exam *exam = shared(NULL, sizeof *exam);
    exam->board = shared(getenv("EXAM_BOARD"), BOARD_BYTES);
    exam->name = name;
    exam->size = size;
    exam->seed = new_seed();
    exam->seconds = 240; /* only a hang takes so long, or a machine that stands still meanwhile */
    return exam;
}

void exam_free(struct exam *exam)
{
    munmap((void *)exam->board, BOARD_BYTES);
    munmap(exam, sizeof *exam);
}

static void rank_main(int rank, int size)
{
    struct exam *exam = current;
    alarm(exam->seconds);
    if (!exam->plain)
        dist_init_process_group(.backend = exam->backend);
    exam->body(exam, rank, size);
    if (!exam->plain)
        dist_destroy_process_group();
    atomic_fetch_add(&exam->returns, 1);
}

bool exam_run(struct exam *exam, void (*body)(struct exam *exam, int rank, int size))
{
    current = exam;
    exam->body = body;
    fflush(NULL);
    exam->status = dist_spawn(rank_main, exam->size);

    unsigned long checks = atomic_load(&exam->checks);
    unsigned faults = atomic_load(&exam->faults), returns = atomic_load(&exam->returns);
    fprintf(stderr, "%s: %d ranks, %lu checks, DIST_TEST_SEED=%lu\n", exam->name, exam->size, checks,
            (unsigned long)exam->seed);
    snprintf(exam->words, sizeof exam->words,
             "%s with DIST_TEST_SEED=%lu: %u of %d ranks came to the end, exit status %d, %lu checks, %u "
             "wrong. %s",
             exam->name, (unsigned long)exam->seed, returns, exam->size, exam->status, checks, faults,
             exam->first);
    return exam->status == 0 && faults == 0 && checks > 0 && returns == (unsigned)exam->size;
}

const char *exam_words(const struct exam *exam)
{
    return exam->words;
}

bool exam_check(struct exam *exam, bool right, const char *format, ...)
{
    atomic_fetch_add_explicit(&exam->checks, 1, memory_order_relaxed);
    if (right || atomic_fetch_add(&exam->faults, 1) != 0)
        return right;
    va_list values;
    va_start(values, format);
    vsnprintf(exam->first, sizeof exam->first, format, values);
    va_end(values);
    return right;
}

static bool is_stopped(pid_t pid)
{
    char path[64], text[256] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool read = fgets(text, sizeof text, file) != NULL;
    fclose(file);
    const char *end = read ? strrchr(text, ')') : NULL;
    return end && end[1] == ' ' && end[2] == 'T';
}

void exam_stop(int pid)
{
    kill(pid, SIGSTOP);
    while (!is_stopped(pid))
        usleep(200);
}

void exam_await(struct exam *exam, int word, uint32_t number)
{
    while (atomic_load(&exam->board[word]) < number)
        usleep(200);
}

bool exam_stay_on(int which)
{
    cpu_set_t mine, one;
    CPU_ZERO(&one);
    sched_getaffinity(0, sizeof mine, &mine);
    for (size_t core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET(core, &mine) && which-- == 0)
            CPU_SET(core, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}
