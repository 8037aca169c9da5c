/*
 * tasks.c: are there threads of which nothing is known?
 *
 * That all threads which have called a rank's operations sleep does not say that nothing will happen: a thread that has not called
 * yet may be about to send what the others wait for. So the threads of its process, as the system counts them, are compared
 * with those that stand in its notes. One more, and the rank may go on, for all that can be known. A GPU's
 * runtime has threads of its own, which never call; they are known by their names. So have MPIs: "async" is UCX's, the others
 * are called "transport" (backends/transport/open.c). A program may call a thread of its own so, too, and does: names count only
 * where the rank has opened such an engine, or the program one of its own, whose library the system then shows. qemu, which runs programs
 * for other processors, has one, called like the program's: for that the first thread is not counted.
 */
#include "diagnose.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/types.h>

static bool tasks_is_engines(const char *name)
{
    return strncasecmp(name, "cuda", 4) == 0 || strncasecmp(name, "nccl", 4) == 0 ||
           strcmp(name, "transport\n") == 0 || strcmp(name, "async\n") == 0;
}

/* 0: this process. (/proc may be that of another PID namespace, in which it has another number.) */
static struct words tasks_path(pid_t pid, const char *what)
{
    return pid == 0 ? words_of("/proc/self/%s", what) : words_of("/proc/%ld/%s", (long)pid, what);
}

/* Is one loaded that the program itself may have opened? */
static bool tasks_has_engine(pid_t pid)
{
    char line[600];
    struct words maps = tasks_path(pid, "maps");
    return text_find_line(maps.text, "/libcuda.so", line, sizeof line) ||
           text_find_line(maps.text, "/libnccl.so", line, sizeof line) ||
           text_find_line(maps.text, "/libucs.so", line, sizeof line);
}

static bool tasks_is_runtimes(pid_t pid, const char *task, bool engines)
{
    char name[32];
    struct words comm = words_of("%s/%.60s/comm", tasks_path(pid, "task").text, task);
    return !text_find_line(comm.text, "", name, sizeof name) || /* it has just ended */
           (engines && tasks_is_engines(name)) ||
           (strncmp(name, "qemu-", 5) == 0 && strtol(task, NULL, 10) == pid);
}

/* ThreadSanitizer has threads of its own, too: gcc 12's has two in a process that was forked. */
#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { OF_SANITIZER = 2 };
#else
enum { OF_SANITIZER = 0 };
#endif

/* At most `known`? Where the system does not tell, there is nothing to compare with. */
static bool tasks_has_at_most(pid_t pid, int known, bool engines)
{
    int count = -OF_SANITIZER;
    DIR *tasks = opendir(tasks_path(pid, "task").text);
    if (!tasks)
        return true;
    for (struct dirent *task; (task = readdir(tasks));)
        count += task->d_name[0] != '.';
    if (count > known) {
        engines = engines || tasks_has_engine(pid);
        rewinddir(tasks);
        for (struct dirent *task; (task = readdir(tasks));)
            count -= task->d_name[0] != '.' && tasks_is_runtimes(pid, task->d_name, engines);
    }
    closedir(tasks);
    return count <= known;
}

static int tasks_known_of(const struct world *world, int rank)
{
    const struct rank_notes *notes = world_notes(world, rank);
    int known = 1 + (atomic_load(&notes->progress_sleep.epoch) != 0) + (int)atomic_load(&notes->tidying);
    for (int i = 0; i < NOTE_STREAMS; i++)
        known += atomic_load(&notes->streams[i].epoch) != 0;
    for (uint32_t i = 0; i < atomic_load(&notes->threads.used); i++)
        known += atomic_load(&notes->threads.notes[i].epoch) != 0;
    return known;
}

/* Another container's process is not to be seen. It has noted this anew before it sleeps anew, which everybody is asked for before anything
 * is told (fresh.c). */
void diagnose_note_threads(struct world *world, int rank)
{
    struct rank_notes *notes = world_notes(world, rank);
    bool known = tasks_has_at_most(0, tasks_known_of(world, rank), atomic_load(&notes->engines));
    atomic_store(&notes->threads.uncalled, !known);
}

bool diagnose_knows_threads(const struct world *world)
{
    const struct world_header *header = world->header;
    pid_t all = 0;
    int known = 1;
    bool engines = false; /* of all ranks that are threads of that process */
    for (int rank = 0; rank < header->size; rank++) {
        const struct rank_slot *slot = &header->slots[rank];
        pid_t pid = launch_pid_of(world, rank);
        const struct rank_notes *notes = world_notes(world, rank);
        bool own = atomic_load(&notes->engines);
        engines |= own;
        if (atomic_load(&header->one_process) && pid != 0) {
            all = pid > 0 ? pid : all;
            known +=
                tasks_known_of(world, rank) - (pid < 0); /* its own thread has ended: those of its GPU stay */
        } else if (pid >= 0 && atomic_load(&slot->state) < RANK_LEFT &&
                   (pid == 0 ? atomic_load(&notes->threads.uncalled) != 0
                             : !tasks_has_at_most(pid, tasks_known_of(world, rank), own))) {
            return false;
        }
    }
    return all == 0 || tasks_has_at_most(all, known, engines);
}
