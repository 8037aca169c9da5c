/* program.c: is there such a program, and how does it learn its place? */
#define _GNU_SOURCE
#include "job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int program_look_at(const char *file)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return PROGRAM_NOT_FOUND;
    return S_ISREG(status.st_mode) && access(file, X_OK) == 0 ? 0 : PROGRAM_NOT_RUNNABLE;
}

int program_look_for(const char *program)
{
    const char *path = getenv("PATH");
    if (strchr(program, '/'))
        return program_look_at(program);
    for (const char *from = path ? path : "/bin:/usr/bin";; from++) { /* as execvp does */
        char file[PATH_MAX];
        int length = (int)strcspn(from, ":");
        snprintf(file, sizeof file, "%.*s%s%s", length, from, length > 0 ? "/" : "./", program);
        if (program_look_at(file) == 0)
            return 0;
        from += length;
        if (*from == '\0')
            return PROGRAM_NOT_FOUND;
    }
}

/* ---- its place -------------------------------------------------------------------------------- */

static bool program_set_number(const char *name, int number)
{
    char text[16];
    snprintf(text, sizeof text, "%d", number);
    return setenv(name, text, 1) == 0;
}

/* As torchrun tells it. Ranks need no secret. */
static bool program_set_own_place(const struct nodes *nodes)
{
    return setenv("MASTER_ADDR", nodes->host, 1) == 0 && setenv("MASTER_PORT", nodes->port, 1) == 0 &&
           program_set_number("GROUP_RANK", nodes->number) &&
           program_set_number("GROUP_WORLD_SIZE", nodes->count) && unsetenv("DIST_SECRET") == 0;
}

bool program_set_place(const struct job *job, int rank)
{
    int before = world_has_before(&job->world, rank), all = world_has_before(&job->world, job->plan.size);
    return program_set_number("RANK", rank) && program_set_number("LOCAL_RANK", before) &&
           program_set_number("WORLD_SIZE", job->plan.size) && program_set_number("LOCAL_WORLD_SIZE", all) &&
           (!job->plan.nodes || program_set_own_place(job->plan.nodes)) &&
           program_set_number("DIST_WORLD_FD", job->world.fd) &&
           program_set_number("TORCHELASTIC_RESTART_COUNT", job->plan.restart);
}
