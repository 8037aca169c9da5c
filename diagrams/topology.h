/*
 * topology.h: what this machine is made of, as far as communication is concerned.
 *
 *   topology_read.c    from /sys and /proc: processors with their memory
 *   topology_pci.c     and what hangs on PCIe
 *   topology_nvml.c    NVLink, asked of NVIDIA's library where there is one
 *   topology_words.c   as text
 *   topology_draw.c    as a drawing
 *   topology.c         the program: build/bin/topology
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include "dot.h"

#include <stdint.h>

#define TOPO_NODES 16
#define TOPO_PARTS 96

enum part_kind { PART_GPU, PART_NETWORK, PART_SWITCH };

/* A processor with memory of its own: a NUMA node. */
struct topo_node {
    int number, cores;
    int64_t memory; /* bytes; 0: not told */
};

/* What hangs on PCIe. */
struct topo_part {
    enum part_kind kind;
    int number;       /* counted for each kind */
    char address[16]; /* 0000:3b:00.0 */
    char name[64];    /* "NVIDIA H100", "mlx5_0" */
    char lane[24];    /* how it is connected: "PCIe 5 x16"; "": not told */
    char rate[24];    /* a network's: "400 Gb/s" */
    int node;         /* which of the nodes */
    int above;        /* the PCIe switch that it hangs on; -1: the processor itself */
};

/* NVLinks from one GPU to another, or to the switch that joins them all. */
struct topo_link {
    int a, b; /* parts; b -1: the switch */
    int count;
};

struct topology {
    int error; /* errno: not all could be read; 0: what was not, is not there */
    struct topo_node nodes[TOPO_NODES];
    struct topo_part parts[TOPO_PARTS]; /* in the order of their addresses */
    struct topo_link links[TOPO_PARTS];
    int node_count, part_count, link_count;
};

/* Read a machine whose /sys and /proc lie below `root` (""; a test has its own). */
void topology_read(struct topology *t, const char *root);

/* Inside: something was not found, says errno; where that was for want of memory or descriptors it may be there all the same, and
 * topology_read sets `error`. */
void topology_missed(void);

/* The first line of a file below the root (false: there is none), and what hangs on PCIe. */
#define TOPO_LINE 256
bool topology_line(char *line, const char *root, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
void topology_read_pci(struct topology *t, const char *root);

/* Add names and NVLinks. Nothing happens where there is no driver. */
void topology_ask_nvml(struct topology *t);

/* How two GPUs reach each other, the quickest way: "NVLink x18", "one PCIe switch". */
const char *topology_way(const struct topology *t, int a, int b, char *text, size_t size);
int topology_count(const struct topology *t, enum part_kind kind);

void topology_words(const struct topology *t, FILE *out);
void topology_draw(const struct topology *t, struct picture *p, const char *title);

#endif
