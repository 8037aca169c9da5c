/* idle.c HOW TAG: ranks that do nothing, for a long time. HOW is mild; stubborn: ignores what asks it to end; or tidy: catches
 * SIGTERM, puts things in order for a second (longer than a failed job may take), and leaves well. The tag is for whoever looks for
 * processes left behind. */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *how;
static volatile sig_atomic_t asked;

static void ask(int number)
{
    (void)number;
    asked = 1;
}

static void run(int rank, int world_size)
{
    (void)world_size;
    if (strcmp(how, "stubborn") == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
    }
    if (strcmp(how, "tidy") == 0)
        signal(SIGTERM, ask);
    printf("rank %d idles\n", rank);
    for (int i = 0; i < 60 && !asked; i++)
        sleep(1);
    if (asked) {
        sleep(1);
        printf("rank %d is tidy\n", rank);
    }
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "mild";
    return dist_spawn(run, 4);
}
