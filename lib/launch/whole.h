/*
 * whole.h: a file that is there whole, or as it was before.
 *
 *     struct whole whole;
 *     FILE *file = whole_open(&whole, path);
 *     if (file)
 *         fputs("...", file);
 *     if (!whole_close(&whole, true))
 *         explain(path, strerror(errno));
 *
 * It is written beside its place, as PATH.PID.new, and renamed. What is no file (/dev/stdout, a pipe, a link) is written as it is:
 * a name that took its place would be no better. So is a file in a folder that takes no others.
 */
#ifndef LAUNCH_WHOLE_H
#define LAUNCH_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WHOLE_OWN_REPORT "deadlock.json"

struct whole {
    FILE *file;
    const char *path;
    int error;         /* the first that was met; 0: none */
    char beside[4200]; /* empty: written in place */
};

/* NULL: it cannot be written. whole_close tells why. */
FILE *whole_open(struct whole *whole, const char *path);

/* Put it in its place; or, if it is not `good`, away. False, with errno: it is not there. */
bool whole_close(struct whole *whole, bool good);

/* The name under which the process of this id writes PATH. False: it is too long. */
bool whole_name_beside(char *beside, size_t size, const char *path, long pid);

/* The process of this id has ended, perhaps while it wrote. NULL: nothing. */
void whole_put_away(const char *path, long pid);

/* Where a file goes for which nobody has named a place: a folder of the user's own. False: the name is too long. */
bool whole_own_path(char *path, size_t size, const char *name);

/* PATH is something that is there and no file of its own: a device, a pipe, a folder, a link. */
bool whole_is_special(const char *path);

#endif
