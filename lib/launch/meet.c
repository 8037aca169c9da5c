/*
 * meet.c: ranks that a foreign launcher has started find each other.
 *
 *   rank 0   makes the world, and listens at an abstract Unix socket named after the job
 *   others   call there until somebody answers, say who they are, get the world's descriptor, and say that they are in
 *
 * The socket has no file, so nothing is left behind, and rank 0 stops listening when all have come, so that
 * a second program under the same launcher can meet at the same name.
 */
#define _GNU_SOURCE
#include "job.h"
#include "door.h"
#include "../dist_base.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NAME_BUSY 5000 /* ms that rank 0 waits for an earlier rank 0 to leave the meeting point, */
#define IN_AFTER 5000  /* and for one that has come to be in */

static void meet_wait_a_moment(int64_t milliseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = milliseconds * 1000000 }, NULL);
}

/* ---- rank 0 ---------------------------------------------------------------- */

/* Who is at the meeting point instead of us? True: somebody who will not go away for us: another user. */
static bool meet_is_taken(const struct launch_env *env, char *why, size_t why_size)
{
    char who[96];
    pid_t pid;
    int fd = door_connect(env);
    bool ours = fd < 0 || door_same_user(fd, &pid);
    if (fd < 0) {
        snprintf(why, why_size,
                 "somebody holds the meeting point of this job and does not answer (%s); start it with "
                 "another port or id",
                 strerror(errno));
        return false;
    }
    door_name_peer(fd, who, sizeof who);
    close(fd);
    if (ours)
        snprintf(why, why_size,
                 "another rank 0 of this job is running: %s; start each job with a port or an id of its own",
                 who);
    else
        snprintf(why, why_size,
                 "the meeting point of this job is held by %s; start it with another port or id", who);
    return !ours;
}

static int meet_listen_there(const struct launch_env *env, char *why, size_t why_size)
{
    int64_t give_up = job_clock() + NAME_BUSY;
    for (bool first = true;; first = false) {
        int fd = door_listen(env);
        if (fd >= 0)
            return fd;
        if (errno != EADDRINUSE)
            return -text_why(DIST_ERR_SYSTEM, why, why_size, "rank 0 cannot wait for the others: %s",
                             strerror(errno));
        bool late = job_clock() > give_up;
        if ((first || late) && (meet_is_taken(env, why, why_size) || late))
            return -DIST_ERR_ENVIRONMENT;
        meet_wait_a_moment(20);
    }
}

/* What is wrong with this caller, in words. */
static int meet_judge(int caller, const struct hello *hello, const struct launch_env *env,
                      const bool *missing, char *why, size_t size)
{
    char who[96];
    door_name_peer(caller, who, sizeof who);
    if (hello->layout != door_layout())
        snprintf(why, size, "rank %d was built with another version of the library; build it again",
                 hello->rank);
    else if (hello->world_size != env->world_size)
        snprintf(why, size, "rank %d was told of %d ranks but rank 0 of %d; give all the same world size",
                 hello->rank, hello->world_size, env->world_size);
    else if (hello->rank < 1 || hello->rank >= env->world_size || !missing[hello->rank])
        snprintf(
            why, size,
            "two processes say that they are rank %d, the second is %s; give each a rank, and each job a "
            "port or an id, of its own",
            hello->rank, who);
    else
        return 0;
    return DIST_ERR_ENVIRONMENT;
}

/* Hear one caller. Strangers, and callers that go away again, are passed over. */
static int meet_greet(int caller, const struct launch_env *env, const struct world *world, bool *missing,
                      char *why, size_t why_size)
{
    pid_t pid;
    struct hello hello;
    door_limit(caller, 1000);
    if (!door_same_user(caller, &pid) || recv(caller, &hello, sizeof hello, 0) != (ssize_t)sizeof hello ||
        hello.magic != HELLO)
        return 0;
    struct answer answer = { .magic = HELLO };
    answer.error = meet_judge(caller, &hello, env, missing, answer.why, sizeof answer.why);
    if (answer.error != 0) {
        snprintf(why, why_size, "%s", answer.why);
        door_send(caller, &answer, -1);
        return answer.error;
    }
    missing[hello.rank] = !door_send(caller, &answer, world->fd);
    door_limit(caller, IN_AFTER);
    if (!missing[hello.rank] && recv(caller, &hello, sizeof hello, 0) == 0)
        return text_why(DIST_ERR_PEER_LOST, why, why_size,
                        "rank %d came, and has ended before it was in; look at that rank first", hello.rank);
    return 0;
}

static int meet_late(const struct launch_env *env, const bool *missing, char *why, size_t why_size)
{
    struct text who = { .used = 0 };
    int count = text_add_ranks(&who, missing, env->world_size);
    return text_why(
        DIST_ERR_TIMEOUT, why, why_size,
        "%.100s %s not come within %d s; see whether the launcher started %s (DIST_INIT_TIMEOUT=SECONDS "
        "waits longer)",
        who.bytes, count == 1 ? "has" : "have", env->meet_seconds, count == 1 ? "it" : "them");
}

static int meet_receive_all(int fd, const struct launch_env *env, const struct world *world, char *why,
                            size_t why_size)
{
    bool missing[WORLD_MAX_RANKS] = { false };
    int64_t give_up = job_clock() + env->meet_seconds * (int64_t)1000;
    memset(missing + 1, true, (size_t)env->world_size - 1);
    while (memchr(missing, true, (size_t)env->world_size)) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int64_t left = give_up - job_clock();
        if (left <= 0)
            return meet_late(env, missing, why, why_size);
        if (poll(&ready, 1, left < 1000 ? (int)left : 1000) <= 0)
            continue;
        int caller = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (caller < 0)
            continue;
        int status = meet_greet(caller, env, world, missing, why, why_size);
        close(caller);
        if (status != 0)
            return status;
    }
    return 0;
}

static int meet_host(const struct launch_env *env, struct world *world, char *why, size_t why_size)
{
    if (world_create(world, env->world_size) != 0)
        return text_why(DIST_ERR_SYSTEM, why, why_size, "no shared memory could be had: %s", strerror(errno));
    if (env->world_size == 1)
        return 0;
    launch_hold(world, 0);
    int fd = meet_listen_there(env, why, why_size);
    int status = fd < 0 ? -fd : meet_receive_all(fd, env, world, why, why_size);
    if (fd >= 0)
        close(fd);
    if (status != 0) {
        world_fail(world, 0, END_ERROR, status); /* for those that have come already */
        world_unmap(world);
    }
    return status;
}

/* ---- the others ------------------------------------------------------------ */

static int meet_call(const struct launch_env *env, int64_t give_up)
{
    for (int64_t pause = 1; job_clock() <= give_up; pause = pause < 20 ? pause + 1 : 20) {
        int fd = door_connect(env);
        if (fd >= 0)
            return fd;
        meet_wait_a_moment(pause);
    }
    return -1;
}

static int meet_visit(const struct launch_env *env, struct world *world, char *why, size_t why_size)
{
    struct hello hello = { HELLO, door_layout(), env->rank, env->world_size };
    int64_t give_up = job_clock() + env->meet_seconds * (int64_t)1000;
    while (job_clock() <= give_up) {
        pid_t host;
        struct answer answer;
        int shared = -1, fd = meet_call(env, give_up);
        if (fd < 0)
            break;
        door_limit(fd, give_up - job_clock() + 1000);
        if (!door_same_user(fd, &host)) {
            meet_is_taken(env, why, why_size);
            close(fd);
            return DIST_ERR_ENVIRONMENT;
        }
        bool answered =
            send(fd, &hello, sizeof hello, MSG_NOSIGNAL) > 0 && door_receive(fd, &answer, &shared);
        bool in = answered && answer.error == 0 && world_map(world, shared) == 0;
        if (in) {
            launch_hold(world, env->rank);
            send(fd, &hello, sizeof hello, MSG_NOSIGNAL);
        }
        close(fd);
        if (in)
            return 0;
        if (!answered) { /* rank 0 of an earlier program has just closed its door */
            meet_wait_a_moment(5);
            continue;
        }
        return text_why(answer.error ? answer.error : DIST_ERR_SYSTEM, why, why_size, "%s",
                        answer.error ? answer.why : "the job's shared memory could not be mapped");
    }
    return text_why(
        DIST_ERR_TIMEOUT, why, why_size,
        "rank 0 has not come within %d s; see whether the launcher started it, and in the same container "
        "(DIST_INIT_TIMEOUT=SECONDS waits longer)",
        env->meet_seconds);
}

int launch_meet(const struct launch_env *env, struct world *world, char *why, size_t why_size)
{
    return env->rank == 0 ? meet_host(env, world, why, why_size) : meet_visit(env, world, why, why_size);
}
