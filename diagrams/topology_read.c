/* topology_read.c: from /sys and /proc, as Linux lays them out: processors and their memory. */
#define _GNU_SOURCE
#include "topology.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int missed;

void topology_missed(void)
{
    if (errno == ENOMEM || errno == EMFILE || errno == ENFILE || errno == EINTR)
        missed = errno;
}

bool topology_line(char *line, const char *root, const char *format, ...)
{
    char path[PATH_MAX], rest[PATH_MAX];
    va_list list;
    va_start(list, format);
    vsnprintf(rest, sizeof rest, format, list);
    va_end(list);
    line[0] = '\0';
    if (snprintf(path, sizeof path, "%s%s", root, rest) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "r");
    bool good = file && fgets(line, TOPO_LINE, file);
    if (!file || ferror(file))
        topology_missed();
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return good;
}

/* ---- processors ------------------------------------------------------------------------ */

/* How many numbers "0-3,8,10-11" names. */
static int count_list(const char *text)
{
    int count = 0;
    while (*text) {
        char *end;
        long first = strtol(text, &end, 10), last = first;
        if (end == text)
            break;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        count += last >= first ? (int)(last - first) + 1 : 0;
        text = *end == ',' ? end + 1 : end;
    }
    return count;
}

/* "Node 0 MemTotal:  24 kB", or without a node. */
static int64_t read_memory(const char *root, const char *name)
{
    char path[PATH_MAX], line[TOPO_LINE];
    long long kilobytes = 0;
    snprintf(path, sizeof path, "%s%s", root, name);
    FILE *file = fopen(path, "r");
    while (file && kilobytes == 0 && fgets(line, sizeof line, file)) {
        const char *found = strstr(line, "MemTotal:");
        if (found)
            kilobytes = atoll(found + 9);
    }
    if (!file || ferror(file))
        topology_missed();
    if (file)
        fclose(file);
    return kilobytes * 1024;
}

static void read_nodes(struct topology *t, const char *root)
{
    char line[TOPO_LINE], name[64];
    for (int i = 0; i < 1024 && t->node_count < TOPO_NODES; i++) {
        snprintf(name, sizeof name, "/sys/devices/system/node/node%d/meminfo", i);
        if (topology_line(line, root, "/sys/devices/system/node/node%d/cpulist", i))
            t->nodes[t->node_count++] = (struct topo_node){ i, count_list(line), read_memory(root, name) };
    }
    if (t->node_count == 1)
        t->nodes[0].memory = read_memory(root, "/proc/meminfo"); /* also what was plugged in later */
    if (t->node_count > 0)
        return;
    topology_line(line, root, "/sys/devices/system/cpu/online");
    t->nodes[t->node_count++] = (struct topo_node){ 0, count_list(line), read_memory(root, "/proc/meminfo") };
}

void topology_read(struct topology *t, const char *root)
{
    *t = (struct topology){ .node_count = 0 };
    missed = 0;
    read_nodes(t, root);
    topology_read_pci(t, root);
    t->error = missed;
}
