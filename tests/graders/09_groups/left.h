/*
 * left.h: what does a rank leave behind? DIST_CHECK=1 lists it on stderr when the rank leaves the job: tensors and groups
 * that were never freed. So from the end of the desk on stderr goes into a pipe; when the rank has left, the lines are
 * counted, handed in under "left", and passed on.
 */
#ifndef GRADERS_LEFT_H
#define GRADERS_LEFT_H

#define _GNU_SOURCE
#include "../../grader/desk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int left_pipe[2], left_stderr;

/* At the rank's end. */
static void left_tell(void)
{
    char said[8192];
    int lines = 0;
    fflush(stderr);
    dup2(left_stderr, 2);
    ssize_t size = read(left_pipe[0], said, sizeof said - 1);
    said[size > 0 ? size : 0] = '\0';
    fputs(said, stderr);
    for (const char *at = strstr(said, "never freed"); at; at = strstr(at + 1, "never freed"))
        lines++;
    desk_hand_in_number("left", lines);
}

/* The last thing that a desk does, when it has freed what is its own. */
static inline void left_watch(void)
{
    left_stderr = dup(2);
    if (left_stderr < 0 || pipe2(left_pipe, O_CLOEXEC | O_NONBLOCK) != 0 || atexit(left_tell) != 0)
        exit(3);
    fflush(stderr);
    dup2(left_pipe[1], 2);
}

#endif
