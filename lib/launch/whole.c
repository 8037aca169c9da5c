/* whole.c: see whole.h. */
#define _GNU_SOURCE
#include "whole.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool whole_is_special(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool whole_name_beside(char *beside, size_t size, const char *path, long pid)
{
    return (size_t)snprintf(beside, size, "%s.%ld.new", path, pid) < size;
}

FILE *whole_open(struct whole *whole, const char *path)
{
    *whole = (struct whole){ .path = path };
    if (!whole_is_special(path) &&
        whole_name_beside(whole->beside, sizeof whole->beside, path, (long)getpid())) {
        unlink(whole->beside); /* in a container process numbers come again after each start */
        whole->file = fopen(whole->beside, "wxe");
    }
    bool refused = errno == EACCES || errno == EPERM || errno == EROFS || errno == ENAMETOOLONG;
    if (!whole->file && (!whole->beside[0] || refused)) {
        whole->beside[0] = '\0';
        whole->file = fopen(path, "we");
    }
    whole->error = whole->file ? 0 : errno;
    errno = 0; /* what it is at the end is what went wrong in between */
    return whole->file;
}

/* The first error counts. */
static void whole_note(struct whole *whole, bool bad)
{
    if (bad && whole->error == 0)
        whole->error = errno ? errno : EIO;
}

bool whole_close(struct whole *whole, bool good)
{
    if (whole->file) {
        whole_note(whole, fflush(whole->file) != 0 || ferror(whole->file));
        whole_note(whole, fclose(whole->file) != 0);
        if (whole->beside[0] && good && whole->error == 0)
            whole_note(whole, rename(whole->beside, whole->path) != 0);
        if (whole->beside[0] && (!good || whole->error != 0))
            unlink(whole->beside);
    }
    errno = whole->error;
    return good && whole->error == 0;
}

void whole_put_away(const char *path, long pid)
{
    struct whole whole;
    if (path && whole_name_beside(whole.beside, sizeof whole.beside, path, pid))
        unlink(whole.beside);
}

bool whole_own_path(char *path, size_t size, const char *name)
{
    const char *where = getenv("TMPDIR");
    return (size_t)snprintf(path, size, "%s/dist-%ld/%s", where && *where ? where : "/tmp", (long)geteuid(),
                            name) < size;
}
