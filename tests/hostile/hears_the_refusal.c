/* feedback: It asked the system for what no exercise needs */
/* Whoever tries to hear for himself that something was refused (sigaction for SIGSYS), by machine code written as numbers. x86_64: __asm__ */
#include "dist.h"

#include <string.h>

/* mov eax, 13 (rt_sigaction); mov edi, 31 (SIGSYS); mov rsi, the next argument; xor edx, edx; mov r10d, 8; syscall; ret */
static const unsigned char code[] __attribute__((section(".text.code,\"ax\",@progbits#"))) = {
    0xb8, 0x0d, 0, 0, 0, 0xbf, 0x1f, 0, 0, 0, 0x31, 0xd2, 0x41, 0xba, 0x08, 0, 0, 0, 0x0f, 0x05, 0xc3,
};

void once_round(tensor *traveller, tensor *mine, int rank, int world_size)
{
    static const unsigned long ignore[4] = { 1 }; /* SIG_IGN */
    long (*set_it)(int, const void *);
    const void *at = code;
    (void)mine, (void)rank, (void)world_size;
    memcpy(&set_it, &at, sizeof at);
    tensor_fill(traveller, (double)set_it(0, ignore));
}
