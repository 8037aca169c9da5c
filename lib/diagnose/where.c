/*
 * where.c: the line of the program that was running.
 *
 * The touch itself may lie in libc (memcpy, printf): the first caller outside of it is meant. addr2line, which comes
 * with every gcc, knows the line of an address, or at least the function.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <execinfo.h>
#endif

#define FRAMES 64
#define ASKED 4 /* frames */

/* The file that an address of code was loaded from, and its place in there. */
struct origin {
    uintptr_t address;
    uintptr_t offset;
    char file[512];
};

/* backtrace() loads a library when it is first used. */
void where_prepare(void)
{
#ifdef __GLIBC__
    void *frame;
    backtrace(&frame, 1);
#endif
}

static uintptr_t where_instruction_of(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
    (void)context;
    return 0;
#endif
}

/* The calls in which this thread stands, from the innermost outwards. musl has no backtrace(): there it is the touch alone. */
static int where_find_calls(void *context, void **frames)
{
#ifdef __GLIBC__
    (void)context;
    return backtrace(frames, FRAMES);
#else
    frames[0] = (void *)where_instruction_of(context);
    return 1;
#endif
}

static int where_look_in(struct dl_phdr_info *object, size_t size, void *argument)
{
    struct origin *origin = argument;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || origin->address < begin || origin->address - begin >= part->p_memsz)
            continue;
        origin->offset = origin->address - object->dlpi_addr;
        struct words program = words_of("/proc/%ld/exe", (long)getpid());
        bool named = object->dlpi_name && object->dlpi_name[0];
        snprintf(origin->file, sizeof origin->file, "%s", named ? object->dlpi_name : program.text);
        return 1;
    }
    return 0;
}

static bool where_is_of_system(const struct origin *origin)
{
    static const char *const names[] = { "libc.",      "libc-",      "libm.",   "libm-",   "ld-",
                                         "linux-vdso", "libpthread", "libasan", "libtsan", "libubsan" };
    const char *name = text_file(origin->file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* The frames from the touch outwards that are the program's own. Gives how many. */
static int where_find_frames(void *context, struct origin *origins)
{
    void *frames[FRAMES];
    int count = where_find_calls(context, frames), touch = 0, found = 0;
    uintptr_t instruction = where_instruction_of(context);
    while (touch < count && (uintptr_t)frames[touch] != instruction)
        touch++;
    for (int i = touch < count ? touch : 0; i < count && found < ASKED; i++) {
        /* All but the first are return addresses: the call stands before them. */
        origins[found] = (struct origin){ .address = (uintptr_t)frames[i] - (i > touch) };
        if (dl_iterate_phdr(where_look_in, &origins[found]) && !where_is_of_system(&origins[found]))
            found++;
    }
    return found;
}

/* Ask PROGRAM -f -e FILE OFFSET. True: it has answered. */
static bool where_ask(const char *program, const struct origin *origin, char *text, size_t size)
{
    int ends[2];
    size_t used = 0;
    struct words offset = words_of("0x%lx", (unsigned long)origin->offset);
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execlp(program, program, "-f", "-e", origin->file, offset.text, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got; pid > 0 && (got = read(ends[0], text + used, size - 1 - used)) != 0;)
        if (got > 0)
            used += (size_t)got;
        else if (errno != EINTR)
            break;
    close(ends[0]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ; /* (how it ended nobody is told where the program ignores its children's ends) */
    text[used] = '\0';
    return used > 0;
}

/* Two lines: the function, then "/path/file.c:12 (discriminator 3)"; "??" stands for what is not known. */
static void where_read_answer(const char *text, struct misuse *misuse)
{
    static _Thread_local char file[256]; /* the report is written before the next one */
    const char *second = strchr(text, '\n'), *colon = second ? strrchr(second, ':') : NULL;
    if (text[0] != '?' && second)
        snprintf(misuse->function, sizeof misuse->function, "%.*s", (int)(second - text), text);
    if (!colon || second[1] == '?' || atoi(colon + 1) <= 0)
        return;
    snprintf(file, sizeof file, "%.*s", (int)(colon - second - 1), second + 1);
    misuse->at = (struct dist_at){ file, atoi(colon + 1) };
}

/* The innermost of which a line is known, since parts may be without (libc inside a static program); else the first. */
void where_touched(void *context, struct misuse *misuse)
{
    struct origin origins[ASKED];
    char text[1024] = "";
    int count = where_find_frames(context, origins);
    misuse->address = count > 0 ? origins[0].offset : where_instruction_of(context);
    for (int i = 0; i < count && !misuse->at.file && (i == 0 || misuse->function[0] == '_'); i++) {
        misuse->function[0] = '\0';
        if (where_ask("addr2line", &origins[i], text, sizeof text) ||
            where_ask("llvm-addr2line", &origins[i], text, sizeof text))
            where_read_answer(text, misuse);
    }
}
