/* join.c: the sockets over which ranks meet: on a machine an abstract Unix socket, which has no file, so nothing is left behind. */
#define _GNU_SOURCE
#include "join.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* MPICH gives each rank a socket to the process manager. Who made it is the same for all. */
static long join_manager_pid(void)
{
    const char *fd = getenv("PMI_FD");
    struct ucred maker = { 0 };
    socklen_t size = sizeof maker;
    if (fd && getsockopt(atoi(fd), SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 && maker.pid > 0)
        return maker.pid;
    return getppid();
}

static const char *join_or_empty(const char *name)
{
    const char *value = getenv(name);
    return value ? value : "";
}

/* A name that the ranks of one job have in common, and no other job has: its number, where the launcher has such. Else the process that
 * started the ranks stands for it; not simply the parent, since `mpirun sh -c './a; ./b'` gives each rank a parent of its own. */
static void join_name_job(const struct launch_env *env, char *key, size_t size)
{
    const char *id = getenv("PMIX_NAMESPACE");
    id = id ? id : getenv("OMPI_MCA_ess_base_jobid");
    if (env->launcher == LAUNCH_TORCHRUN && getenv("MASTER_PORT"))
        snprintf(key, size, "torchrun:%.40s:%.8s:%.8s:%.40s", join_or_empty("MASTER_ADDR"),
                 join_or_empty("MASTER_PORT"), join_or_empty("TORCHELASTIC_RESTART_COUNT"),
                 join_or_empty("TORCHELASTIC_RUN_ID"));
    else if (env->launcher == LAUNCH_OPENMPI && id)
        snprintf(key, size, "openmpi:%.80s", id);
    else if (env->launcher == LAUNCH_MPICH)
        snprintf(key, size, "mpich:%.20s:%ld", join_or_empty("PMI_PORT"), join_manager_pid());
    else if (env->launcher == LAUNCH_SLURM)
        snprintf(key, size, "slurm:%.20s.%.20s", join_or_empty("SLURM_JOB_ID"),
                 join_or_empty("SLURM_STEP_ID"));
    else
        snprintf(key, size, "parent:%ld", (long)getppid());
}

/* Abstract names belong to the network namespace, and containers may share one. Those that cannot share memory do not meet: each IPC
 * namespace has names of its own. (A PID namespace tells nothing: ranks of one job may each have their own.) */
static uint64_t join_namespace_number(void)
{
    struct stat file;
    return stat("/proc/self/ns/ipc", &file) == 0 ? (uint64_t)file.st_ino : 0;
}

static socklen_t join_meeting_point(const struct launch_env *env, struct sockaddr_un *address)
{
    char key[128];
    uint64_t hash = 14695981039346656037u ^ join_namespace_number();
    join_name_job(env, key, sizeof key);
    for (const char *c = key; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    int length = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "dist-%lu-%016llx",
                          (unsigned long)geteuid(), (unsigned long long)hash);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

int join_wait(int fd, const struct sockaddr *at, socklen_t size)
{
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    return bind(fd, at, size) != 0 ? -1 : listen(fd, WORLD_MAX_RANKS);
}

static int join_try(int family, int type, const struct sockaddr *at, socklen_t size, join_act *act)
{
    struct timeval limit = { .tv_sec = 3 }; /* of a connect, where somebody listens who never answers */
    int fd = socket(family, type | SOCK_CLOEXEC, 0);
    if (fd >= 0)
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (fd >= 0 && act(fd, at, size) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

int join_at(const struct launch_env *env, join_act *act)
{
    struct sockaddr_un address;
    socklen_t size = join_meeting_point(env, &address);
    return join_try(AF_UNIX, SOCK_SEQPACKET, (struct sockaddr *)&address, size, act);
}

int join_at_any(const struct addrinfo *found, join_act *act)
{
    int fd = -1;
    for (; found && fd < 0; found = found->ai_next)
        fd = join_try(found->ai_family, SOCK_STREAM, found->ai_addr, found->ai_addrlen, act);
    return fd;
}

bool join_same_user(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

void join_name_peer(int fd, char *text, size_t size)
{
    struct ucred peer = { 0 };
    socklen_t length = sizeof peer;
    char name[17] = "";
    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    if (peer.pid > 0)
        text_find_line(words_of("/proc/%ld/comm", (long)peer.pid).text, "", name, sizeof name);
    name[strcspn(name, "\n")] = '\0';
    if (peer.pid > 0)
        snprintf(text, size, "process %ld%s%s%s of user %lu", (long)peer.pid, *name ? " (" : "", name,
                 *name ? ")" : "", (unsigned long)peer.uid);
    else
        snprintf(text, size, "a process in another PID namespace, of user %lu", (unsigned long)peer.uid);
}

void join_limit(int fd, int64_t milliseconds)
{
    struct timeval limit = { .tv_sec = milliseconds / 1000, .tv_usec = milliseconds % 1000 * 1000 + 1 };
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
}

/* Room for one descriptor beside a message. */
union beside {
    struct cmsghdr align;
    char space[CMSG_SPACE(sizeof(int))];
};

bool join_send(int to, const void *bytes, size_t size, int fd)
{
    struct iovec all = { (void *)(uintptr_t)bytes, size };
    union beside control = { .space = { 0 } };
    struct msghdr message = { .msg_iov = &all, .msg_iovlen = 1 };
    if (fd >= 0) {
        message.msg_control = control.space;
        message.msg_controllen = sizeof control.space;
        struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(rights), &fd, sizeof fd);
    }
    ssize_t sent;
    while ((sent = sendmsg(to, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == (ssize_t)size;
}

bool join_receive(int from, void *bytes, size_t size, int *fd)
{
    struct iovec all = { bytes, size };
    union beside control;
    struct msghdr message = { .msg_iov = &all,
                              .msg_iovlen = 1,
                              .msg_control = fd ? control.space : NULL,
                              .msg_controllen = fd ? sizeof control.space : 0 };
    ssize_t got;
    while ((got = recvmsg(from, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    struct cmsghdr *rights = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (rights && rights->cmsg_type == SCM_RIGHTS)
        memcpy(fd, CMSG_DATA(rights), sizeof *fd);
    if (got == 0)
        errno = ECONNRESET;
    return got == (ssize_t)size;
}
