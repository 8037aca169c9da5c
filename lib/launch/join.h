/* join.h: the messages by which ranks meet, and the socket that carries them. */
#ifndef LAUNCH_JOIN_H
#define LAUNCH_JOIN_H

#include "launch.h"

#define HELLO 0x6f6c6c65u

/* What a rank says of itself. `layout` differs where two versions of the library would misread each other. */
struct hello {
    uint32_t magic;
    uint32_t layout;
    int32_t rank;
    int32_t world_size;
};

/* Rank 0's answer; the descriptor travels beside it if error is 0. */
struct answer {
    uint32_t magic;
    int32_t error; /* enum dist_error */
    struct why why;
};

/* The layout that this library was built with. */
uint32_t join_layout(void);

/* A socket that listens at the job's meeting point, or one that is connected to it. -1: errno tells. */
int join_listen(const struct launch_env *env);
int join_connect(const struct launch_env *env);

/* Whether the other side runs as the same user. */
bool join_same_user(int fd);

/* "process 4711 (nc) of user 1001": the other side, in words. */
void join_name_peer(int fd, char *text, size_t size);

/* Of a caller that says so: what is wrong with it, in words? 0: nothing. */
int join_judge(int caller, const struct hello *hello, const struct launch_env *env, const bool *came,
               struct why *why);

/* How long a receive may block. */
void join_limit(int fd, int64_t milliseconds);

/* All of it, within that time. A signal, or a stop of the process (kill -STOP), does not end the wait. false: errno tells; ECONNRESET where
 * the other side has hung up. */
bool join_send(int to, const void *bytes, size_t size);
bool join_receive(int from, void *bytes, size_t size);

/* One answer, with a descriptor beside it unless fd is -1. receive: false if nothing sensible came. */
bool join_send_answer(int to, const struct answer *answer, int fd);
bool join_receive_answer(int from, struct answer *answer, int *fd);

#endif
