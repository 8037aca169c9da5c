/*
 * settings_file.c: can a file be written that a variable names? Better told before a run of an hour than after it.
 *
 * Nothing may be left behind, and several ranks may ask at the same time: so a file that is not there is tried without a
 * name (O_TMPFILE), in the folder where it shall lie.
 */
#define _GNU_SOURCE
#include "settings.h"
#include "whole.h"
#include "../dist_base.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST 4096

/* For file systems that know no files without a name: one with a name of its own. */
static int settings_file_open_beside(const char *path)
{
    char beside[LONGEST + 32];
    if (!whole_name_beside(beside, sizeof beside, path, (long)getpid()))
        return errno = ENAMETOOLONG, -1;
    unlink(beside); /* left by an earlier process of this number */
    int fd = open(beside, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0)
        unlink(beside);
    else if (errno == ENOENT) /* the folder is there, but takes no files: /proc */
        errno = EACCES;
    return fd;
}

/* A page is written, so that a full disk is seen. */
static int settings_file_try_folder(const char *folder, const char *path)
{
    static const char page[4096];
    struct stat status = { .st_nlink = 1 };
    if (stat(folder, &status) != 0 || status.st_nlink == 0)
        return status.st_nlink == 0 ? ENOENT : errno;
    int fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
        fd = settings_file_open_beside(path);
    if (fd < 0)
        return errno;
    ssize_t written = write(fd, page, sizeof page);
    int error = written < 0 ? errno : written < (ssize_t)sizeof page ? ENOSPC : 0;
    close(fd);
    return error;
}

/* What is there stays as it is. To write nothing is enough to be told that /dev/full is full. */
static int settings_file_try_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENXIO ? 0 : errno; /* a pipe that nobody reads yet */
    int error = write(fd, "", 0) == 0 ? 0 : errno;
    close(fd);
    return error;
}

int setting_check_file(const char *name, const char *path, struct why *why)
{
    char folder[LONGEST]; /* a longer path is no missing one */
    const char *in = "", *base = strrchr(path, '/');
    int error = settings_file_try_file(path);
    if (error == ENOENT && base && base[1] == '\0')
        error = EISDIR;
    if (error == ENOENT) {
        snprintf(folder, sizeof folder, "%s", path);
        in = dirname(folder);
        error = settings_file_try_folder(in, path);
    }
    if (error == 0)
        return 0;
    const char *dots = strlen(path) > 80 ? "..." : "";
    why_say(why, "%s names %.80s%s, ", name, path, dots);
    if (error == EISDIR)
        why_add(why, "which is a folder; name a file in it");
    else if (error == ENOENT && strcmp(in, ".") == 0)
        why_add(why, "but the folder in which this runs was deleted; go to another");
    else if (error == ENOENT)
        why_add(why, "but there is no folder %.80s%s; make it, or name another file", in,
                strlen(in) > 80 ? "..." : "");
    else
        why_add(why, "which cannot be written: %s; name another file", strerror(error));
    return DIST_ERR_ENVIRONMENT;
}
