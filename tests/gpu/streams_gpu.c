/*
 * streams_gpu.c: random programs of streams, events and gates (device_program.h) on the real GPUs, without Criterion. A line
 * for each, "pass NAME" or "fail NAME". DIST_TEST_SEED repeats a run that failed.
 */
#include "../device_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(void)
{
    const char *given = getenv("DIST_TEST_SEED");
    unsigned long long seed = given ? strtoull(given, NULL, 10) : (unsigned long long)time(NULL);
    bool good = true;
    for (int i = 0; i < 10; i++) {
        const char *wrong = device_program(&device_cuda, seed + (unsigned)i, 3000);
        printf("%s streams, DIST_TEST_SEED=%llu %s\n", *wrong ? "fail" : "pass", seed + (unsigned)i, wrong);
        good &= !*wrong;
    }
    return good ? 0 : 1;
}
