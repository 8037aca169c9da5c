/*
 * secret.c: a proof that two know the same secret, which itself is never sent: SipHash-2-4 (Aumasson and Bernstein, 2012) of what both
 * have said, with the secret as its key of 128 bits. Who guesses has one chance in 2^64 a call.
 *
 * What it does not protect against: somebody who can change what travels between the hosts after both have proved themselves, or who
 * reads it: nothing is encrypted. And the engine's connections (Gloo, MPI) ask nobody for a secret. So: on a network that is yours.
 */
#define _GNU_SOURCE
#include "nodes.h"
#include "text.h"

#include <string.h>
#include <sys/random.h>

static uint64_t secret_turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void secret_rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1], v[1] = secret_turn(v[1], 13) ^ v[0], v[0] = secret_turn(v[0], 32);
        v[2] += v[3], v[3] = secret_turn(v[3], 16) ^ v[2];
        v[0] += v[3], v[3] = secret_turn(v[3], 21) ^ v[0];
        v[2] += v[1], v[1] = secret_turn(v[1], 17) ^ v[2], v[2] = secret_turn(v[2], 32);
    }
}

static uint64_t secret_word_of(const unsigned char *bytes, size_t size)
{
    uint64_t word = 0;
    for (size_t i = 0; i < size; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

uint64_t secret_proof(const unsigned char key[SECRET_BYTES], const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    uint64_t k0 = secret_word_of(key, 8), k1 = secret_word_of(key + 8, 8);
    uint64_t v[4] = { k0 ^ 0x736f6d6570736575u, k1 ^ 0x646f72616e646f6du, k0 ^ 0x6c7967656e657261u,
                      k1 ^ 0x7465646279746573u };
    for (size_t left = size;; left -= 8, at += 8) {
        uint64_t word = left >= 8 ? secret_word_of(at, 8) : secret_word_of(at, left) | (uint64_t)size << 56;
        v[3] ^= word;
        secret_rounds(v, 2);
        v[0] ^= word;
        if (left < 8)
            break;
    }
    v[2] ^= 0xff;
    secret_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

bool secret_random(void *bytes, size_t size)
{
    return getrandom(bytes, size, 0) == (ssize_t)size;
}

/* ---- where it comes from ------------------------------------------------------------------------------- */

static bool secret_read_key(struct nodes *nodes, const char *text)
{
    size_t digits = strspn(text, "0123456789abcdefABCDEF");
    if (digits != (size_t)2 * SECRET_BYTES || text[digits])
        return false;
    for (int i = 0; i < SECRET_BYTES; i++)
        sscanf(text + 2 * i, "%2hhx", &nodes->key[i]);
    return true;
}

static int secret_read_file(struct nodes *nodes, char *line, size_t size, struct why *why)
{
    if (!text_find_line(nodes->secret_file, "", line, size))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "--secret: %.100s cannot be read; it must hold the job's secret", nodes->secret_file);
    line[strcspn(line, "\r\n")] = '\0';
    return 0;
}

/* Node 0 makes one where it is told none. */
int nodes_find_secret(struct nodes *nodes, struct why *why)
{
    char line[128] = "";
    const char *told = getenv("DIST_SECRET");
    int status = nodes->secret_file ? secret_read_file(nodes, line, sizeof line, why) : 0;
    if (status != 0)
        return status;
    if (!nodes->secret_file && told)
        snprintf(line, sizeof line, "%s", told);
    if (*line && secret_read_key(nodes, line))
        return 0;
    if (*line || nodes->secret_file)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s is no secret of a job: that is 32 hexadecimal digits, as distrun's node 0 makes "
                        "and prints them",
                        nodes->secret_file ? nodes->secret_file : "DIST_SECRET");
    if (nodes->star)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "DIST_SECRET is not set, by which the ranks of this job on other machines are known; "
                        "set it on all to the same 32 hexadecimal digits (openssl rand -hex 16)");
    if (nodes->number > 0)
        return why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "the job's secret is missing; node 0 prints it: start this one with DIST_SECRET=..., or "
            "--secret FILE that holds it");
    if (!secret_random(nodes->key, sizeof nodes->key))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "the system gives no random bytes for a secret; set DIST_SECRET");
    nodes->made_secret = true;
    return 0;
}

void nodes_say_secret(const struct nodes *nodes)
{
    char text[2 * SECRET_BYTES + 1];
    if (!nodes->made_secret)
        return;
    for (int i = 0; i < SECRET_BYTES; i++)
        sprintf(text + 2 * i, "%02x", nodes->key[i]);
    const struct alike *all = &nodes->alike;
    bool usual = strcmp(all->backend, NODES_BACKEND) == 0, bare = strchr(nodes->host, ':'); /* of IPv6 */
    fprintf(stderr, "distrun: on the other machines: DIST_SECRET=%s%s%s%s%s ", text,
            usual ? "" : " BACKEND=", usual ? "" : all->backend, *all->algorithm ? " DIST_ALGORITHM=" : "",
            all->algorithm);
    fprintf(stderr, "distrun -n %d --nodes %d --node %s --at %s%s%s:%s PROGRAM\n", nodes->size, nodes->count,
            nodes->count == 2 ? "1" : "1, 2, ...", bare ? "[" : "", nodes->host, bare ? "]" : "",
            nodes->port);
}
