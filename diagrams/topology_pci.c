/* topology_pci.c: GPUs and networks, and how they hang on PCIe. */
#define _GNU_SOURCE
#include "topology.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static int place_of_node(const struct topology *t, int number)
{
    for (int i = 0; i < t->node_count; i++)
        if (t->nodes[i].number == number)
            return i;
    return 0;
}

static bool is_address(const char *text)
{
    unsigned domain, bus, device, function;
    int end = 0;
    return sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) == 4 && end == 12;
}

static unsigned read_hex(const char *root, const char *address, const char *what)
{
    char line[TOPO_LINE];
    return topology_line(line, root, "/sys/bus/pci/devices/%s/%s", address, what)
               ? (unsigned)strtoul(line, NULL, 16)
               : 0;
}

/* A generation doubles the speed of a lane; up to 5 GT/s it was not quite so. */
static void read_lane(struct topo_part *part, const char *root)
{
    char speed[TOPO_LINE], width[TOPO_LINE];
    static const double speeds[] = { 2.5, 5, 8, 16, 32, 64 };
    if (!topology_line(speed, root, "/sys/bus/pci/devices/%s/current_link_speed", part->address) ||
        !topology_line(width, root, "/sys/bus/pci/devices/%s/current_link_width", part->address) ||
        atoi(width) <= 0)
        return;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
        if (atof(speed) == speeds[i])
            snprintf(part->lane, sizeof part->lane, "PCIe %zu x%d", i + 1, atoi(width));
}

/* The first entry of a folder. False: there is none. */
static bool first_entry(const char *path, const char *begins, char *name, size_t size)
{
    DIR *folder = opendir(path);
    bool found = false;
    if (!folder)
        topology_missed();
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        found = entry->d_name[0] != '.' && strncmp(entry->d_name, begins, strlen(begins)) == 0;
        if (found)
            snprintf(name, size, "%.60s", entry->d_name);
    }
    if (folder)
        closedir(folder);
    return found;
}

/* The name by which programs know it: of InfiniBand before that of the network on top of it. */
static void name_network(struct topo_part *part, const char *root)
{
    char path[PATH_MAX], virtio[64], line[TOPO_LINE];
    snprintf(part->name, sizeof part->name, "network");
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s/infiniband", root, part->address);
    if (first_entry(path, "", part->name, sizeof part->name)) {
        if (topology_line(line, root, "/sys/class/infiniband/%s/ports/1/rate", part->name))
            snprintf(part->rate, sizeof part->rate, "%d Gb/s", atoi(line));
        return;
    }
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices/%s", root, part->address);
    size_t used = strlen(path);
    if (first_entry(path, "virtio", virtio, sizeof virtio))
        used += (size_t)snprintf(path + used, sizeof path - used, "/%s", virtio);
    snprintf(path + used, sizeof path - used, "/net");
    if (first_entry(path, "", part->name, sizeof part->name) &&
        topology_line(line, root, "/sys/class/net/%s/speed", part->name) && atoi(line) > 0)
        snprintf(part->rate, sizeof part->rate, "%g Gb/s", atoi(line) / 1000.0);
}

static void name_gpu(struct topo_part *part, const char *root, unsigned vendor)
{
    char line[TOPO_LINE];
    snprintf(part->name, sizeof part->name, "%s GPU",
             vendor == 0x10de   ? "NVIDIA"
             : vendor == 0x1002 ? "AMD"
                                : "Intel");
    if (topology_line(line, root, "/proc/driver/nvidia/gpus/%s/information", part->address) &&
        strncmp(line, "Model:", 6) == 0)
        snprintf(part->name, sizeof part->name, "%.60s", line + 6 + strspn(line + 6, " \t"));
}

static struct topo_part *add_part(struct topology *t, enum part_kind kind, const char *address)
{
    if (t->part_count == TOPO_PARTS)
        return NULL;
    struct topo_part *part = &t->parts[t->part_count];
    *part = (struct topo_part){ .kind = kind, .number = topology_count(t, kind), .above = -1 };
    snprintf(part->address, sizeof part->address, "%.12s", address);
    t->part_count++;
    return part;
}

/* A path as /sys has it: root port, then for each switch the port that leads up and one that leads down, then the device.
 * Gives the upward port of the lowest switch; NULL: there is none. */
static const char *switch_above(const char *root, const char *address, char *path)
{
    char link[PATH_MAX], *ports[32];
    int count = 0;
    snprintf(link, sizeof link, "%s/sys/bus/pci/devices/%s", root, address);
    if (!realpath(link, path)) {
        topology_missed();
        return NULL;
    }
    for (char *word = strtok(path, "/"); word && count < 32; word = strtok(NULL, "/"))
        if (is_address(word))
            ports[count++] = word;
    return count >= 4 ? ports[count - 3] : NULL;
}

static void place(struct topology *t, int index, const char *root)
{
    char line[TOPO_LINE], path[PATH_MAX];
    struct topo_part *part = &t->parts[index];
    const char *above = switch_above(root, part->address, path);
    if (topology_line(line, root, "/sys/bus/pci/devices/%s/numa_node", part->address))
        part->node = place_of_node(t, atoi(line));
    read_lane(part, root);
    for (int i = 0; above && i < t->part_count; i++)
        if (t->parts[i].kind == PART_SWITCH && strcmp(t->parts[i].address, above) == 0)
            part->above = i;
    if (!above || part->above >= 0)
        return;
    struct topo_part *bridge = add_part(t, PART_SWITCH, above);
    if (!bridge)
        return;
    bridge->node = part->node;
    snprintf(bridge->name, sizeof bridge->name, "PCIe switch");
    read_lane(bridge, root);
    part->above = t->part_count - 1;
}

/* Graphics that only show a server's console are none. */
static bool computes(unsigned class, unsigned vendor)
{
    return class >> 16 == 0x03 &&
           (vendor == 0x10de || vendor == 0x1002 || (vendor == 0x8086 && class >> 8 == 0x0302));
}

void topology_read_pci(struct topology *t, const char *root)
{
    struct dirent **entries;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/sys/bus/pci/devices", root);
    int count = scandir(path, &entries, NULL, alphasort);
    if (count < 0)
        topology_missed();
    for (int i = 0; i < count; i++) {
        const char *address = entries[i]->d_name;
        unsigned class = is_address(address) ? read_hex(root, address, "class") : 0;
        unsigned vendor = read_hex(root, address, "vendor");
        bool gpu = computes(class, vendor), network = class >> 16 == 0x02;
        struct topo_part *part = gpu || network ? add_part(t, gpu ? PART_GPU : PART_NETWORK, address) : NULL;
        if (part && gpu)
            name_gpu(part, root, vendor);
        else if (part)
            name_network(part, root);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    int devices = t->part_count; /* place() adds the switches behind them */
    for (int i = 0; i < devices; i++)
        place(t, i, root);
}
