/* fuzz_target.c: for clang's fuzzer: FUZZ=draw and so on says which of fuzz_one.h's targets. `make fuzz` builds and runs them. */
#include "../fuzz_one.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static const struct fuzz_target targets[] = FUZZ_TARGETS;
static const struct fuzz_target *target;

int LLVMFuzzerInitialize(int *count, char ***words)
{
    const char *name = getenv("FUZZ");
    (void)count;
    (void)words;
    for (size_t i = 0; name && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, name) == 0)
            target = &targets[i];
    if (!target)
        fprintf(stderr, "FUZZ names no target of tests/fuzz_one.h\n");
    return target ? 0 : 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (!target)
        exit(2);
    target->run(bytes, size);
    return 0;
}
