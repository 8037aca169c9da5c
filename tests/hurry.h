/*
 * hurry.h: is a suite to try a part of all combinations only? A sanitizer makes everything several times as slow; and `make test`,
 * which must be over in minutes, asks for it (TEST_HURRY=1). `make test-all` then runs the long suites whole.
 */
#ifndef TESTS_HURRY_H
#define TESTS_HURRY_H

#include <stdbool.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static inline bool hurry(void)
{
    return SANITIZED || getenv("TEST_HURRY") != NULL;
}

#endif
