/* pmi.c: see pmi.h. */
#define _GNU_SOURCE
#include "pmi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LINE 2048
#define NAMES 16384 /* bytes of names and values of a rank */

/* Behind the room's own words, in the world's memory: what a rank has put, as "name value\n" one after the other. */
struct pmi_rank {
    _Atomic uint32_t barriers; /* that it has come to */
    _Atomic uint32_t used;
    char names[NAMES];
};

static struct pmi {
    struct launch_self *self;
    struct pmi_rank *ranks;
    int ours; /* MPI has the other end */
    pthread_t thread;
    bool runs;
} pmi;

static bool put(const char *line)
{
    struct pmi_rank *own = &pmi.ranks[pmi.self->env.rank];
    const char *key = strstr(line, " key="), *value = strstr(line, " value=");
    uint32_t used = atomic_load(&own->used);
    if (!key || !value)
        return false;
    int length = snprintf(own->names + used, NAMES - used, "%.*s %s\n", (int)strcspn(key + 5, " "), key + 5,
                          value + 7);
    if (length >= (int)(NAMES - used))
        return false;
    atomic_store(&own->used, used + (uint32_t)length);
    return true;
}

static bool get_of(struct pmi_rank *rank, const char *key, char *value)
{
    size_t length = strlen(key);
    const char *at = rank->names, *end = rank->names + atomic_load(&rank->used);
    for (; at < end; at = strchr(at, '\n') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == ' ') {
            at += length + 1;
            snprintf(value, LINE, "%.*s", (int)strcspn(at, "\n"), at);
            return true;
        }
    return false;
}

static void get(const char *line, char *answer)
{
    char key[256] = "", value[LINE] = "";
    const char *at = strstr(line, " key=");
    int size = pmi.self->env.world_size;
    bool found = at && sscanf(at, " key=%255s", key) == 1;
    if (strcmp(key, "PMI_process_mapping") == 0)
        snprintf(value, sizeof value, "(vector,(0,1,%d))", size);
    else
        for (int i = 0; found && i <= size; i++)
            if (i == size || get_of(&pmi.ranks[i], key, value)) {
                found = i < size;
                break;
            }
    snprintf(answer, LINE + 64,
             found ? "cmd=get_result rc=0 msg=success value=%s\n" : "cmd=get_result rc=-1 msg=unknown\n",
             value);
}

/* All have come as often as this one. A job that has failed meets no more. */
static void barrier(void)
{
    uint32_t mine = atomic_fetch_add(&pmi.ranks[pmi.self->env.rank].barriers, 1) + 1;
    for (int i = 0; i < pmi.self->env.world_size; i++)
        while (atomic_load(&pmi.ranks[i].barriers) < mine && !world_failed(&pmi.self->world))
            nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static void respond(const char *line, char *answer)
{
    static const char *const fixed[][2] = {
        { "cmd=init", "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n" },
        { "cmd=get_maxes", "cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=1024\n" },
        { "cmd=get_appnum", "cmd=appnum appnum=0\n" },
        { "cmd=get_my_kvsname", "cmd=my_kvsname kvsname=dist\n" },
        { "cmd=finalize", "cmd=finalize_ack\n" },
    };
    *answer = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strncmp(line, fixed[i][0], strlen(fixed[i][0])) == 0)
            snprintf(answer, LINE, "%s", fixed[i][1]);
    if (strncmp(line, "cmd=get_universe_size", 21) == 0)
        snprintf(answer, LINE, "cmd=universe_size size=%d\n", pmi.self->env.world_size);
    else if (strncmp(line, "cmd=put", 7) == 0)
        snprintf(answer, LINE, "cmd=put_result rc=%d msg=%s\n", put(line) ? 0 : -1, "done");
    else if (strncmp(line, "cmd=get ", 8) == 0)
        get(line, answer);
    else if (strncmp(line, "cmd=barrier_in", 14) == 0) {
        barrier();
        snprintf(answer, LINE, "cmd=barrier_out\n");
    }
}

static void *serve(void *unused)
{
    char line[LINE], answer[LINE + 64];
    FILE *in = fdopen(pmi.ours, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        respond(line, answer);
        if (*answer && send(pmi.ours, answer, strlen(answer), MSG_NOSIGNAL) < 0)
            break;
    }
    if (in)
        fclose(in);
    return unused;
}

bool pmi_serve(struct launch_self *self)
{
    int ends[2];
    char text[16];
    struct transport_rank *behind = world_at(&self->world, self->world.header->room_offset);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pmi = (struct pmi){ .self = self, .ours = ends[0] };
    pmi.ranks = (struct pmi_rank *)(behind + self->env.world_size);
    const int values[] = { ends[1], self->env.rank, self->env.world_size };
    const char *const names[] = { "PMI_FD", "PMI_RANK", "PMI_SIZE" };
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%d", values[i]);
        setenv(names[i], text, 1);
    }
    pmi.runs = pthread_create(&pmi.thread, NULL, serve, NULL) == 0;
    return pmi.runs;
}

void pmi_end(void)
{
    if (!pmi.runs)
        return;
    unsetenv("PMI_FD");
    unsetenv("PMI_RANK");
    unsetenv("PMI_SIZE");
    shutdown(pmi.ours, SHUT_RDWR);
    pthread_join(pmi.thread, NULL); /* MPI keeps its end: it would write there if it gave up */
    pmi.runs = false;
}
