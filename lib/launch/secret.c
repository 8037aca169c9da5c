/*
 * secret.c: a proof that two know the same secret, which itself is never sent: SipHash-2-4 (Aumasson and Bernstein, 2012) of what both
 * have said, with the secret as its key of 128 bits. Who guesses has one chance in 2^64 a call.
 *
 * What it does not protect against: somebody who can change what travels between the hosts after both have proved themselves, or who
 * reads it: nothing is encrypted. And the engine's connections (Gloo, MPI) ask nobody for a secret. So: on a network that is yours.
 */
#define _GNU_SOURCE
#include "nodes.h"

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
