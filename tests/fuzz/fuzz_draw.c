/* fuzz_draw.c: for clang's fuzzer: `make fuzz` builds and runs it, starting from real traces and reports. */
#include "../fuzz_one.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_one(bytes, size);
    return 0;
}
