/*
 * leftovers.c: while MPI starts, MPICH's ranks of a machine share a file in /dev/shm that has a name for some milliseconds. Ranks that
 * are killed then leave it (mpich 4.0.2).
 *
 * Whose it is cannot be seen, but whether it is still somebody's: the kernel grants a lease for reading only where nobody can write to
 * the file, neither by a descriptor nor in mapped memory (fcntl(2), F_SETLEASE); and who makes it has it open from the first moment.
 */
#define _GNU_SOURCE
#include "job.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char made_by_mpich[] = "mpich_shar_tmp";

static bool leftovers_is_nobodys(int folder, const char *name)
{
    struct stat status;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return false;
    fcntl(fd, F_SETSIG, SIGURG); /* in place of SIGIO, which ends who does not expect it */
    bool nobodys = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
                   fcntl(fd, F_SETLEASE, F_RDLCK) == 0;
    close(fd);
    return nobodys;
}

void leftovers_remove(void)
{
    DIR *folder = opendir("/dev/shm");
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (strncmp(entry->d_name, made_by_mpich, sizeof made_by_mpich - 1) == 0 &&
            leftovers_is_nobodys(dirfd(folder), entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}
