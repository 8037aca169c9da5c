/* pmi.c: see pmi.h. */
#define _GNU_SOURCE
#include "pmi.h"
#include "../../launch/spread.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define LINE 2048

/* What a rank has put stands in its bootstrap memory, as "name value\n" one after the other. Its steps are barriers that it has come to. */
static struct pmi {
    struct launch_self *self;
    int ours; /* MPI has the other end */
    struct worker thread;
} pmi;

static bool pmi_put(const char *line)
{
    struct world_bootstrap *own = world_bootstrap(&pmi.self->world, pmi.self->env.rank);
    const char *key = strstr(line, " key="), *value = strstr(line, " value=");
    uint64_t used = atomic_load(&own->used), left = sizeof own->bytes - used;
    if (!key || !value)
        return false;
    int length =
        snprintf(own->bytes + used, left, "%.*s %s\n", (int)strcspn(key + 5, " "), key + 5, value + 7);
    if (length >= (int)left)
        return false;
    atomic_store(&own->used, used + (uint64_t)length);
    return true;
}

static bool pmi_get_of(const struct world_bootstrap *of, const char *key, char *value)
{
    size_t length = strlen(key);
    const char *at = of->bytes, *end = at + atomic_load(&of->used);
    for (; at < end; at = strchr(at, '\n') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == ' ') {
            at += length + 1;
            snprintf(value, LINE, "%.*s", (int)strcspn(at, "\n"), at);
            return true;
        }
    return false;
}

/* Which ranks share a machine: blocks of "(first machine, machines, ranks on each)". */
static void pmi_say_mapping(char *text, size_t size)
{
    const struct world_header *header = pmi.self->world.header;
    int nodes = world_is_spread(&pmi.self->world) ? header->nodes : 1, more = header->size % nodes;
    if (more == 0)
        snprintf(text, size, "(vector,(0,%d,%d))", nodes, header->size / nodes);
    else
        snprintf(text, size, "(vector,(0,%d,%d),(%d,%d,%d))", more, header->size / nodes + 1, more,
                 nodes - more, header->size / nodes);
}

static void pmi_get(const char *line, char *answer)
{
    char key[256] = "", value[LINE] = "";
    const char *at = strstr(line, " key=");
    int size = pmi.self->env.world_size;
    bool found = at && sscanf(at, " key=%255s", key) == 1;
    if (strcmp(key, "PMI_process_mapping") == 0)
        pmi_say_mapping(value, sizeof value);
    else
        for (int i = 0; found && i <= size; i++)
            if (i == size || pmi_get_of(world_bootstrap(&pmi.self->world, i), key, value)) {
                found = i < size;
                break;
            }
    snprintf(answer, LINE + 64,
             found ? "cmd=get_result rc=0 msg=success value=%s\n" : "cmd=get_result rc=-1 msg=unknown\n",
             value);
}

/* All have come as often as this one. */
static void pmi_barrier(void)
{
    uint64_t mine = atomic_fetch_add(&world_bootstrap(&pmi.self->world, pmi.self->env.rank)->steps, 1) + 1;
    for (int i = 0; i < pmi.self->env.world_size; i++)
        while (atomic_load(&world_bootstrap(&pmi.self->world, i)->steps) < mine &&
               !world_failed(&pmi.self->world))
            nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
}

static void pmi_respond(const char *line, char *answer)
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
        snprintf(answer, LINE, "cmd=put_result rc=%d msg=%s\n", pmi_put(line) ? 0 : -1, "done");
    else if (strncmp(line, "cmd=get ", 8) == 0)
        pmi_get(line, answer);
    else if (strncmp(line, "cmd=barrier_in", 14) == 0) {
        pmi_barrier();
        snprintf(answer, LINE, "cmd=barrier_out\n");
    }
}

static void pmi_main(void *unused)
{
    (void)unused;
    char line[LINE], answer[LINE + 64];
    FILE *in = fdopen(pmi.ours, "r");
    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        pmi_respond(line, answer);
        if (world_failed(&pmi.self->world)) {
            /* MPI would add words of its own: it gets no answer, and the launcher ends us. */
            poll(&(struct pollfd){ .fd = pmi.ours }, 1, -1);
            break;
        }
        if (*answer && send(pmi.ours, answer, strlen(answer), MSG_NOSIGNAL) < 0)
            break;
    }
    if (in)
        fclose(in);
}

static const char *const pmi_names[] = { "PMI_FD", "PMI_RANK", "PMI_SIZE" };

bool pmi_serve(struct launch_self *self)
{
    int ends[2];
    char text[16];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    pmi = (struct pmi){ .self = self, .ours = ends[0] };
    const int values[] = { ends[1], self->env.rank, self->env.world_size };
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%d", values[i]);
        setenv(pmi_names[i], text, 1);
    }
    pmi.thread = (struct worker){ .self = self, .name = "dist pmi", .work = pmi_main };
    return worker_start(&pmi.thread);
}

void pmi_end(void)
{
    if (!pmi.thread.runs)
        return;
    for (int i = 0; i < 3; i++)
        unsetenv(pmi_names[i]);
    shutdown(pmi.ours, SHUT_RDWR);
    worker_join(&pmi.thread); /* MPI keeps its end: it would write there if it gave up */
}
