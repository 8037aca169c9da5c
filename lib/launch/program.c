/* program.c: is there such a program? */
#define _GNU_SOURCE
#include "job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Look once before n ranks fail one by one. 0, or the status that a shell would give. */
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
    if (strchr(program, '/') || !path)
        return program_look_at(program);
    for (const char *from = path;; from++) {
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
