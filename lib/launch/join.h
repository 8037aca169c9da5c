/* join.h: the messages by which ranks of a machine meet (meet.c), and machines (nodes.c), and the sockets that carry them. */
#ifndef LAUNCH_JOIN_H
#define LAUNCH_JOIN_H

#include "launch.h"
#include "nodes.h"

#include <sys/socket.h>

struct addrinfo;

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

/* A socket at the job's meeting point on this machine with which `act` has succeeded: join_wait, to wait there for callers, or connect.
 * And one at the first of these addresses where it does. -1: errno tells. */
typedef int join_act(int fd, const struct sockaddr *at, socklen_t size);
join_act join_wait;
int join_at(const struct launch_env *env, join_act *act);
int join_at_any(const struct addrinfo *found, join_act *act);

/* Whether the other side runs as the same user. */
bool join_same_user(int fd);

/* "process 4711 (nc) of user 1001": the other side, in words. */
void join_name_peer(int fd, char *text, size_t size);

/* How long a receive may block. */
void join_limit(int fd, int64_t milliseconds);

/* One message, within that time, also past a signal or a stop (kill -STOP), with a descriptor beside it unless `fd` is -1, or NULL; where none
 * came, *fd stays. false: errno tells; ECONNRESET: the other side has hung up. */
bool join_send(int to, const void *bytes, size_t size, int fd);
bool join_receive(int from, void *bytes, size_t size, int *fd);

/* ---- machines: nodes.c has the order ------------------------------------------------------------------------ */

#define HANDSHAKE_MAGIC 0x74736964u /* "dist" */

struct opening {
    uint32_t magic, layout;
    char version[24];
    unsigned char nonce[16];
    uint64_t proof; /* node 0's */
};

struct introduction {
    struct opening caller, called; /* as both have said */
    int32_t node, count, size;
    struct alike alike;
    uint64_t program;
    char name[64];
    uint64_t proof; /* the caller's */
};

struct opening handshake_opening(const struct nodes *nodes);
bool handshake_same_version(const struct opening *a, const struct opening *b);

/* The proof that the caller, or the called one, gives with what it has said: of that, and of all that was said before. */
uint64_t handshake_proof(const struct nodes *nodes, struct introduction said, bool by_caller);

/* An address in digits, one of IPv4 always as such; and its port (8 bytes), unless NULL. */
void handshake_digits(const struct sockaddr *address, socklen_t length, char *text, size_t size, char *port);

/* The address of this end of a connection, or of the other, as well. */
void handshake_address(int fd, bool other, char *text, size_t size, char *port);

/* Where node 0 is. 0, or the status with a sentence. */
int handshake_resolve(const struct nodes *nodes, struct addrinfo **found, struct why *why);

/* An address, in digits, or "localhost", to which no other machine comes? */
bool handshake_is_at_home(const char *address);

/* What others call this machine: MASTER_ADDR, or its name. And that name's address: "", as it was, where others could not call there. */
void handshake_own_name(char *name, size_t size);
void handshake_find(const char *name, char *address, size_t size);

/* nodes_call.c: nodes but 0. */
int nodes_call(struct nodes *nodes, struct why *why);

/* nodes_callers.c: those that have called node 0, and have not proved themselves yet; of more the others wait for a place. */
#define CALLERS_MOST 64
struct callers {
    int count;
    bool lack_files; /* for one more, and none of these will give one back */
    struct caller {
        struct connection link;
        struct introduction said; /* by both, as far as it has come */
        bool answered;
        int64_t give_up;
    } at[CALLERS_MOST];
};

/* Has somebody called, or one of them spoken, in so many ms? Then hear them: who belongs to the job gets its link. The same status. */
bool nodes_callers_wait(struct callers *callers, int listener, int milliseconds);
int nodes_callers_hear(struct callers *callers, struct nodes *nodes, struct why *why);
void nodes_callers_leave(struct callers *callers);

#endif
