/* inject.c: counts the system's calls, and decides which one fails. inject_calls.c and inject_stdio.c put it around them. */
#define _GNU_SOURCE
#include "inject_inside.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ledger *ledger; /* NULL: this process is not looked at */
static struct {
    enum inject_kind kind; /* INJECT_KINDS: none */
    uint64_t number;
    bool later; /* all after it, too */
    int error;  /* 0: the usual one of the kind; SHORT */
} wish = { .kind = INJECT_KINDS };
static _Thread_local int deep; /* calls of our own do not count */

static const struct {
    const char *name;
    int error;
} errors[] = { { "ENOMEM", ENOMEM }, { "EMFILE", EMFILE }, { "ENFILE", ENFILE }, { "EAGAIN", EAGAIN },
               { "ENOSPC", ENOSPC }, { "EINTR", EINTR },   { "EIO", EIO },       { "EACCES", EACCES },
               { "EPIPE", EPIPE },   { "EDQUOT", EDQUOT }, { "short", SHORT } };

void *real_call(const char *name)
{
    deep++;
    void *call = dlsym(RTLD_NEXT, name);
    deep--;
    return call;
}

static int in_program(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr; /* the first one is the program */
    return 1;
}

/* The place of the first failure. Addresses of libraries lie far from those of a program, and are left out. */
static void note(const char *call)
{
    void *address[INJECT_FRAMES + 2];
    uint64_t base = 0;
    ledger->pid = getpid();
    snprintf(ledger->call, sizeof ledger->call, "%s", call);
    if (readlink("/proc/self/exe", ledger->program, sizeof ledger->program - 1) < 0)
        ledger->program[0] = '\0';
    int count = backtrace(address, INJECT_FRAMES + 2), kept = 0;
    dl_iterate_phdr(in_program, &base);
    for (int i = 2; i < count; i++) {
        uint64_t offset = (uint64_t)(uintptr_t)address[i] - base;
        if (offset < (uint64_t)1 << 30)
            ledger->frame[kept++] = offset - 1; /* the call, and not what comes behind it */
    }
}

void inject_pause(void)
{
    deep++;
}

void inject_resume(void)
{
    deep--;
}

int injected(enum inject_kind kind, const char *call)
{
    static const int usual[] = { ENOMEM, EMFILE, EAGAIN, ENOSPC, EIO };
    if (!ledger || deep > 0)
        return 0;
    uint64_t number = atomic_fetch_add(&ledger->seen[kind], 1) + 1;
    if (kind != wish.kind || number < wish.number || (number > wish.number && !wish.later))
        return 0;
    deep++;
    if (atomic_fetch_add(&ledger->failed, 1) == 0)
        note(call);
    deep--;
    return errno = wish.error ? wish.error : usual[kind];
}

static void read_wish(const char *text)
{
    static const char *const kinds[] = INJECT_NAMES;
    char *end;
    for (int kind = 0; kind < INJECT_KINDS; kind++) {
        size_t length = strlen(kinds[kind]);
        if (strncmp(text, kinds[kind], length) != 0 || text[length] != ':')
            continue;
        wish.number = strtoull(text + length + 1, &end, 10);
        wish.later = *end == '+';
        end += wish.later;
        for (size_t i = 0; *end == ':' && i < sizeof errors / sizeof errors[0]; i++)
            if (strcmp(end + 1, errors[i].name) == 0)
                wish.error = errors[i].error;
        wish.kind = (enum inject_kind)kind;
    }
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("INJECT_LEDGER"), *in = getenv("INJECT_IN"), *text = getenv("INJECT");
    void *warm[2];
    if (!path || (in && strcmp(in, program_invocation_short_name) != 0))
        return;
    deep++;
    backtrace(warm, 2); /* loads what it needs, now */
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *page = mmap(NULL, sizeof *ledger, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    inject_stdio();
    if (text)
        read_wish(text);
    deep--;
    if (page != MAP_FAILED)
        ledger = page;
}
