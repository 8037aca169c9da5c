/* talk.c HOW: ranks that print in every way that a watcher has to hand on. None makes a dist call. */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static void flood(int rank)
{
    for (long i = 0; i < 5000000; i++)
        printf("line %ld of rank %d\n", i, rank);
}

static volatile sig_atomic_t was_asked;
static void note_asked(int number)
{
    (void)number;
    was_asked = 1;
}

/* The last rank asks the launcher to end the job, when the others have printed more than their reader takes. */
static void end_when_asked(int rank, int world_size)
{
    if (rank == world_size - 1) {
        sleep(1);
        kill(getppid(), SIGTERM);
    } else {
        for (int i = 0; i < 10000; i++)
            printf("line %d of rank %d\n", i, rank);
    }
    while (!was_asked)
        usleep(1000);
    printf("rank %d was asked\n", rank);
}

/* Somebody else keeps the pipe open after the rank has ended. */
static void leave_grandchild(void)
{
    if (fork() == 0) {
        sleep(3);
        _exit(0);
    }
}

static void run(int rank, int world_size)
{
    char line[100];
    if (strcmp(how, "flood") == 0)
        flood(rank);
    if (strcmp(how, "asked") == 0)
        end_when_asked(rank, world_size);
    if (strcmp(how, "grandchild") == 0)
        leave_grandchild();
    if (strcmp(how, "pieces") == 0)
        for (const char *c = "one line"; *c; c++)
            putchar(*c);
    if (strcmp(how, "long") == 0)
        for (int i = 0; i < 100000; i++)
            putchar('a' + rank);
    if (strcmp(how, "pages") == 0) /* no more than a pipe holds: so the rank ends at once */
        for (int i = 0; i < 1000; i++)
            printf("%d aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", i);
    if (strcmp(how, "stdin") == 0)
        printf("%s", fgets(line, sizeof line, stdin) ? line : "nothing");
    if (strcmp(how, "lines") == 0) {
        printf("rank %d of %d\n", rank, world_size);
        fprintf(stderr, "rank %d complains\n", rank);
        printf("second line of %d\n", rank);
    }
    if (strcmp(how, "last words") == 0 && rank == world_size - 1) {
        printf("something went wr");
        fflush(stdout);
        abort();
    }
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "lines";
    if (strcmp(how, "asked") == 0)
        sigaction(SIGTERM, &(struct sigaction){ .sa_handler = note_asked, .sa_flags = SA_RESTART }, NULL);
    printf("before\n");
    int status = dist_spawn(run, 3);
    if (strcmp(how, "lines") == 0)
        printf("after\n");
    return status;
}
