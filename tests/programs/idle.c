/* idle.c HOW TAG: ranks that do nothing, for a long time. HOW is mild, or stubborn: ignores what asks it to end. The
 * tag is for whoever looks for processes left behind. */
#define _GNU_SOURCE
#include "dist.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *how;

static void run(int rank, int world_size)
{
    (void)world_size;
    if (strcmp(how, "stubborn") == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
    }
    printf("rank %d idles\n", rank);
    for (int i = 0; i < 60; i++)
        sleep(1);
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "mild";
    return dist_spawn(run, 4);
}
