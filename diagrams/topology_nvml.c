/*
 * topology_nvml.c: NVLink, and the names of GPUs, asked of NVIDIA's management library.
 *
 * It comes with the driver, so it can be neither linked nor taken for granted: it is opened where it is found. Its header
 * may be missing, too; what we need of it is written down here.
 */
#define _GNU_SOURCE
#include "topology.h"

#include <dlfcn.h>
#include <string.h>
#include <strings.h>

#define MOST_LINKS 18 /* of one GPU */

struct nvml_pci {
    char legacy[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char address[32]; /* 00000000:3B:00.0 */
};

struct nvml {
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_address)(const char *address, void **device);
    int (*name)(void *device, char *name, unsigned size);
    int (*link_state)(void *device, unsigned link, int *active);
    int (*link_remote)(void *device, unsigned link, struct nvml_pci *remote);
};

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load(struct nvml *nvml, void *library)
{
    return find(library, "nvmlInit_v2", &nvml->init) && find(library, "nvmlShutdown", &nvml->shutdown) &&
           find(library, "nvmlDeviceGetHandleByPciBusId_v2", &nvml->by_address) &&
           find(library, "nvmlDeviceGetName", &nvml->name) &&
           find(library, "nvmlDeviceGetNvLinkState", &nvml->link_state) &&
           find(library, "nvmlDeviceGetNvLinkRemotePciInfo_v2", &nvml->link_remote);
}

/* The GPU behind an address; -1: it is no GPU, so a switch. Domains have 4 digits here and 8 there. */
static int gpu_at(const struct topology *t, const char *address)
{
    size_t length = strlen(address);
    const char *end = length > 12 ? address + length - 12 : address;
    for (int i = 0; i < t->part_count; i++)
        if (t->parts[i].kind == PART_GPU && strcasecmp(t->parts[i].address, end) == 0)
            return i;
    return -1;
}

/* Both ends see a link: it counts at the first. */
static void add_link(struct topology *t, int a, int b)
{
    if (b >= 0 && b <= a)
        return;
    for (int i = 0; i < t->link_count; i++)
        if (t->links[i].a == a && t->links[i].b == b) {
            t->links[i].count++;
            return;
        }
    if (t->link_count < TOPO_PARTS)
        t->links[t->link_count++] = (struct topo_link){ a, b, 1 };
}

static void ask(struct topology *t, const struct nvml *nvml, int part)
{
    void *device;
    char name[64];
    if (nvml->by_address(t->parts[part].address, &device) != 0)
        return;
    if (nvml->name(device, name, sizeof name) == 0)
        snprintf(t->parts[part].name, sizeof t->parts[part].name, "%.60s", name);
    for (unsigned link = 0; link < MOST_LINKS; link++) {
        struct nvml_pci remote = { .address = "" };
        int active = 0;
        if (nvml->link_state(device, link, &active) == 0 && active &&
            nvml->link_remote(device, link, &remote) == 0)
            add_link(t, part, gpu_at(t, remote.address));
    }
}

void topology_ask_nvml(struct topology *t)
{
    struct nvml nvml;
    void *library = topology_count(t, PART_GPU) > 0 ? dlopen("libnvidia-ml.so.1", RTLD_NOW) : NULL;
    if (!library)
        return;
    if (load(&nvml, library) && nvml.init() == 0) {
        for (int i = 0; i < t->part_count; i++)
            if (t->parts[i].kind == PART_GPU)
                ask(t, &nvml, i);
        nvml.shutdown();
    }
    dlclose(library);
}
