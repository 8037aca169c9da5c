/*
 * meet.c: ranks that a foreign launcher has started find each other: all, or, of a job on several machines, those of this one.
 *
 *   first    (rank 0, or the first of this machine) makes the world, and listens at an abstract Unix socket named after the job
 *   others   call there until somebody answers, say who they are, get the world's descriptor, and say that they are in
 *
 * The socket has no file, so nothing is left behind, and the first rank stops listening when all have come, so that
 * a second program under the same launcher can meet at the same name.
 */
#define _GNU_SOURCE
#include "job.h"
#include "join.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NAME_BUSY 5000 /* ms that rank 0 waits for an earlier rank 0 to leave the meeting point, */
#define IN_AFTER 5000  /* and for one that has come to be in */

static const char *meet_first(const struct launch_env *env)
{
    return launch_is_far(env) ? "the first rank of this machine" : "rank 0";
}

/* ---- rank 0 ---------------------------------------------------------------- */

/* Who is at the meeting point instead of us? True: somebody who will not go away for us: another user. */
static bool meet_is_taken(const struct launch_env *env, struct why *why)
{
    char who[96];
    int fd = join_at(env, connect);
    if (fd < 0) {
        why_say(why,
                "somebody holds the meeting point of this job and does not answer (%s); start it with "
                "another port or id",
                strerror(errno));
        return false;
    }
    bool ours = join_same_user(fd);
    join_name_peer(fd, who, sizeof who);
    close(fd);
    if (ours && launch_is_far(env))
        why_say(why,
                "another rank says that it is the first of this machine, too: %s; give each a LOCAL_RANK of "
                "its own",
                who);
    else if (ours)
        why_say(why,
                "another rank 0 of this job is running: %s; start each job with a port or an id of its own",
                who);
    else
        why_say(why, "the meeting point of this job is held by %s; start it with another port or id", who);
    return !ours;
}

static int meet_listen_there(const struct launch_env *env, struct why *why)
{
    int64_t give_up = job_clock() + NAME_BUSY;
    for (bool first = true;; first = false) {
        int fd = join_at(env, join_wait);
        if (fd >= 0)
            return fd;
        if (errno != EADDRINUSE)
            return -why_fail(DIST_ERR_SYSTEM, why, "%s cannot wait for the others: %s", meet_first(env),
                             strerror(errno));
        bool late = job_clock() > give_up;
        if ((first || late) && (meet_is_taken(env, why) || late))
            return -DIST_ERR_ENVIRONMENT;
        usleep(20000);
    }
}

/* Of a caller that says so: what is wrong with it, in words? 0: nothing. */
static int meet_judge(int caller, const struct hello *hello, const struct launch_env *env, const bool *came,
                      struct why *why)
{
    char who[96];
    join_name_peer(caller, who, sizeof who);
    if (hello->layout != world_layout())
        why_say(why, "rank %d was built with another version of the library; build it again", hello->rank);
    else if (hello->world_size != env->world_size)
        why_say(why, "rank %d was told of %d ranks but rank %d of %d; give all the same world size",
                hello->rank, hello->world_size, env->rank, env->world_size);
    else if (hello->rank < 0 || hello->rank >= env->world_size || came[hello->rank])
        why_say(why,
                "two processes say that they are rank %d, the second is %s; give each a rank, and each job a "
                "port or an id, of its own",
                hello->rank, who);
    else
        return 0;
    return DIST_ERR_ENVIRONMENT;
}

/* Hear one caller. Strangers, and callers that go away again, are passed over. */
static int meet_greet(int caller, const struct launch_env *env, const struct world *world, bool *came,
                      struct why *why)
{
    struct hello hello;
    join_limit(caller, 1000);
    if (!join_same_user(caller) || !join_receive(caller, &hello, sizeof hello, NULL) || hello.magic != HELLO)
        return 0;
    struct answer answer = { .magic = HELLO };
    answer.error = meet_judge(caller, &hello, env, came, &answer.why);
    if (answer.error != 0) {
        *why = answer.why;
        join_send(caller, &answer, sizeof answer, -1);
        return answer.error;
    }
    came[hello.rank] = join_send(caller, &answer, sizeof answer, world->fd);
    join_limit(caller, IN_AFTER);
    if (came[hello.rank] && !join_receive(caller, &hello, sizeof hello, NULL) && errno == ECONNRESET)
        return why_fail(DIST_ERR_PEER_LOST, why,
                        "rank %d came, and has ended before it was in; look at that rank first", hello.rank);
    return 0;
}

/* Of those that are to come here, how many have not? */
static int meet_missing(const struct launch_env *env, const bool *came)
{
    int missing = env->local_size;
    for (int rank = 0; rank < env->world_size; rank++)
        missing -= came[rank];
    return missing;
}

/* Which ranks are on one machine of several only the launcher knows. */
static int meet_late(const struct launch_env *env, const bool *came, struct why *why)
{
    struct text who = { .used = 0 };
    bool missing[WORLD_MAX_RANKS] = { false };
    int count = meet_missing(env, came);
    for (int rank = 0; rank < env->world_size; rank++)
        missing[rank] = !came[rank];
    if (launch_is_far(env))
        text_add(&who, "%d of the %d ranks of this machine", count, env->local_size);
    else
        text_add_ranks(&who, missing, env->world_size);
    return why_fail(
        DIST_ERR_TIMEOUT, why,
        "%.100s %s not come within %d s; see whether the launcher started %s (DIST_INIT_TIMEOUT=SECONDS "
        "waits longer)",
        who.bytes, count == 1 ? "has" : "have", env->meet_seconds, count == 1 ? "it" : "them");
}

static int meet_receive_all(int fd, const struct launch_env *env, const struct world *world, struct why *why)
{
    bool came[WORLD_MAX_RANKS] = { false };
    int64_t give_up = job_clock() + env->meet_seconds * (int64_t)1000;
    came[env->rank] = true;
    while (meet_missing(env, came) > 0) {
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int64_t left = give_up - job_clock();
        if (left <= 0)
            return meet_late(env, came, why);
        if (poll(&ready, 1, left < 1000 ? (int)left : 1000) <= 0)
            continue;
        int caller = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
        if (caller < 0)
            continue;
        int status = meet_greet(caller, env, world, came, why);
        close(caller);
        if (status != 0)
            return status;
    }
    return 0;
}

static int meet_host(const struct launch_env *env, struct world *world, struct why *why)
{
    if (world_create(world, env->world_size) != 0)
        return why_fail(DIST_ERR_SYSTEM, why, "no shared memory could be had: %s", strerror(errno));
    launch_hold(world, env->rank);
    if (env->local_size == 1)
        return 0;
    int fd = meet_listen_there(env, why);
    int status = fd < 0 ? -fd : meet_receive_all(fd, env, world, why);
    if (fd >= 0)
        close(fd);
    if (status != 0) {
        world_fail(world, env->rank, END_ERROR, status, ""); /* for those that have come already */
        world_unmap(world);
    }
    return status;
}

/* ---- the others ------------------------------------------------------------ */

static int meet_visit(const struct launch_env *env, struct world *world, struct why *why)
{
    struct hello hello = { HELLO, world_layout(), env->rank, env->world_size };
    int64_t give_up = job_clock() + env->meet_seconds * (int64_t)1000;
    for (unsigned pause = 1; job_clock() <= give_up; pause = pause < 20 ? pause + 1 : 20) {
        struct answer answer;
        int shared = -1, fd = join_at(env, connect);
        if (fd < 0) {
            usleep(pause * 1000);
            continue;
        }
        join_limit(fd, give_up - job_clock() + 1000);
        if (!join_same_user(fd)) {
            meet_is_taken(env, why);
            close(fd);
            return DIST_ERR_ENVIRONMENT;
        }
        bool answered = join_send(fd, &hello, sizeof hello, -1) &&
                        join_receive(fd, &answer, sizeof answer, &shared) && answer.magic == HELLO &&
                        (answer.error != 0 || shared >= 0);
        bool in = answered && answer.error == 0 && world_map(world, shared) == 0;
        if (in) {
            launch_hold(world, env->rank);
            join_send(fd, &hello, sizeof hello, -1);
        } else if (shared >= 0) {
            close(shared);
        }
        close(fd);
        if (in)
            return 0;
        if (answered)
            return why_fail(answer.error ? answer.error : DIST_ERR_SYSTEM, why, "%s",
                            answer.error ? answer.why.text : "the job's shared memory could not be mapped");
        usleep(5000); /* rank 0 of an earlier program has just closed its listener */
    }
    return why_fail(
        DIST_ERR_TIMEOUT, why,
        "%s has not come within %d s; see whether the launcher started it, and in the same container "
        "(DIST_INIT_TIMEOUT=SECONDS waits longer)",
        meet_first(env), env->meet_seconds);
}

int launch_meet(const struct launch_env *env, struct world *world, struct why *why)
{
    bool first = launch_is_far(env) ? env->local_rank == 0 : env->rank == 0;
    return first ? meet_host(env, world, why) : meet_visit(env, world, why);
}
