/* handshake.h: the messages by which the watchers of a job's machines meet; nodes.c has the order. */
#ifndef LAUNCH_HANDSHAKE_H
#define LAUNCH_HANDSHAKE_H

#include "nodes.h"

struct addrinfo;

#define HANDSHAKE_MAGIC 0x74736964u /* "dist" */

struct opening {
    uint32_t magic, layout;
    char version[24];
    unsigned char nonce[16];
    uint64_t proof; /* node 0's */
};

struct introduction {
    struct opening caller, called; /* as both have said */
    int32_t node, count, size, unused;
    uint64_t program;
    char name[64];
    uint64_t proof; /* of all before it */
};

struct opening handshake_opening(const struct nodes *nodes);
bool handshake_same_version(const struct opening *a, const struct opening *b);
uint64_t handshake_proof_of_called(const struct nodes *nodes, const struct opening *caller,
                                   struct opening called);
uint64_t handshake_proof_of_caller(const struct nodes *nodes, struct introduction introduction);

/* The address of this end of a connection, or of the other, in digits; and its port (8 bytes), unless NULL. */
void handshake_address(int fd, bool other, char *text, size_t size, char *port);

/* Where node 0 is. 0, or the status with a sentence. */
int handshake_resolve(const struct nodes *nodes, struct addrinfo **found, struct why *why);

/* An address, in digits, or "localhost", to which no other machine comes? */
bool handshake_is_at_home(const char *address);

/* What this machine is to be called by others: MASTER_ADDR, or its name. And the address of such a name: "", as it was, where others could
 * not call there. */
void handshake_own_name(char *name, size_t size);
void handshake_find(const char *name, char *address, size_t size);

/* nodes_call.c: nodes but 0. */
int nodes_call(struct nodes *nodes, int seconds, struct why *why);

#endif
