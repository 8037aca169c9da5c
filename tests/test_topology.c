/* test_topology.c: does make topology read a machine from /sys as it is, and draw it? The machine is made of files. */
#define _GNU_SOURCE
#include "../diagrams/topology.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char root[] = "/tmp/topology_XXXXXX";

static void set_up(void)
{
    cr_assert_not_null(mkdtemp(root));
}

static void run(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void run(const char *format, ...)
{
    char command[600];
    va_list list;
    va_start(list, format);
    vsnprintf(command, sizeof command, format, list);
    va_end(list);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void tear_down(void)
{
    run("rm -rf %s", root);
}

TestSuite(topology, .timeout = 30, .init = set_up, .fini = tear_down);

static void put(const char *folder, const char *file, const char *text)
{
    run("mkdir -p %s/%s && echo '%s' >%s/%s/%s", root, folder, text, root, folder, file);
}

static void node(int number, const char *cores, const char *kilobytes)
{
    char folder[80], text[80];
    snprintf(folder, sizeof folder, "sys/devices/system/node/node%d", number);
    snprintf(text, sizeof text, "Node %d MemTotal:  %s kB", number, kilobytes);
    put(folder, "cpulist", cores);
    put(folder, "meminfo", text);
}

/* A device at the end of a path of ports, and the link to it by which Linux lists all. */
static void device(const char *path, const char *class, const char *vendor, const char *node)
{
    char folder[200];
    const char *address = strrchr(path, '/') + 1;
    snprintf(folder, sizeof folder, "sys/devices/%s", path);
    put(folder, "class", class);
    put(folder, "vendor", vendor);
    put(folder, "numa_node", node);
    put(folder, "current_link_speed", "32.0 GT/s PCIe");
    put(folder, "current_link_width", "16");
    run("mkdir -p %s/sys/bus/pci/devices && ln -s ../../../devices/%s %s/sys/bus/pci/devices/%s", root, path,
        root, address);
}

/* Two processors; a PCIe switch with two GPUs and an InfiniBand card; a GPU and a network straight on the other. */
static void build(void)
{
    node(0, "0-15", "67108864");
    node(1, "16-31", "67108864");
    device("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:00.0/0000:03:00.0", "0x030200", "0x10de", "0");
    device("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:01.0/0000:04:00.0", "0x030200", "0x10de", "0");
    device("pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0", "0x020700", "0x15b3", "0");
    device("pci0000:80/0000:80:01.0/0000:81:00.0", "0x030200", "0x10de", "1");
    device("pci0000:80/0000:80:02.0/0000:82:00.0", "0x020000", "0x8086", "1");
    device("pci0000:80/0000:80:03.0/0000:83:00.0", "0x030000", "0x1a03", "1"); /* a console */
    put("sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/0000:02:02.0/0000:05:00.0/infiniband/mlx5_0/x", "y",
        "");
    put("sys/class/infiniband/mlx5_0/ports/1", "rate", "400 Gb/sec (4X NDR)");
    put("sys/devices/pci0000:80/0000:80:02.0/0000:82:00.0/net/eth0", "x", "");
    put("sys/class/net/eth0", "speed", "25000");
    put("proc/driver/nvidia/gpus/0000:03:00.0", "information", "Model: \t\t NVIDIA H100 80GB HBM3");
}

static const char *words_of(const struct topology *t)
{
    static char text[8192];
    FILE *out = fmemopen(text, sizeof text, "w");
    topology_words(t, out);
    fclose(out);
    return text;
}

static void expect(const char *text, const char *words)
{
    cr_assert_not_null(strstr(text, words), "\"%s\" is not in\n%s", words, text);
}

Test(topology, processors_gpus_networks_and_switches_are_found)
{
    struct topology t;
    build();
    topology_read(&t, root);
    const char *text = words_of(&t);
    expect(text, "processor 0: 16 cores, 64.0 GiB\n");
    expect(text, "GPU 0: NVIDIA H100 80GB HBM3     0000:03:00.0, PCIe 5 x16, below PCIe switch 0\n");
    expect(text,
           "network mlx5_0                   0000:05:00.0, PCIe 5 x16, 400 Gb/s, below PCIe switch 0\n");
    expect(text, "GPU 2: NVIDIA GPU                0000:81:00.0, PCIe 5 x16\n");
    expect(text, "network eth0                     0000:82:00.0, PCIe 5 x16, 25 Gb/s\n");
    cr_assert_eq(topology_count(&t, PART_GPU), 3, "a console is no GPU");
}

Test(topology, the_ways_are_told_from_the_quickest_down)
{
    struct topology t;
    build();
    topology_read(&t, root);
    expect(words_of(&t), "  GPU 0 and GPU 1: one PCIe switch\n");
    expect(words_of(&t), "  GPU 0 and GPU 2: across processors\n");
    expect(words_of(&t), "  GPU 0 and mlx5_0: one PCIe switch\n");
    expect(words_of(&t), "  GPU 2 and eth0: one processor\n");
    t.links[t.link_count++] = (struct topo_link){ 0, 1, 12 };
    expect(words_of(&t), "  GPU 0 and GPU 1: NVLink x12\n");
}

Test(topology, all_gpus_on_one_nvlink_switch)
{
    struct topology t;
    char way[64];
    build();
    topology_read(&t, root);
    for (int i = 0; i < t.part_count; i++)
        if (t.parts[i].kind == PART_GPU)
            t.links[t.link_count++] = (struct topo_link){ i, -1, 18 };
    cr_assert_str_eq(topology_way(&t, 0, 3, way, sizeof way), "NVLink x18, by a switch");
}

Test(topology, a_machine_without_gpus)
{
    struct topology t;
    node(0, "0-1", "7");
    put("proc", "meminfo", "MemTotal:       25165824 kB");
    topology_read(&t, root);
    expect(words_of(&t),
           "processor 0: 2 cores, 24.0 GiB\nno GPU here: ranks share the processor and its memory\n");
}

Test(topology, a_system_that_tells_nothing)
{
    struct topology t;
    topology_read(&t, root);
    expect(words_of(&t), "processor 0: 0 cores\n");
}

Test(topology, the_drawing_has_every_part_once)
{
    struct topology t;
    char *text;
    size_t size;
    struct picture p = { .file = open_memstream(&text, &size) };
    build();
    topology_read(&t, root);
    t.links[t.link_count++] = (struct topo_link){ 0, 1, 12 };
    topology_draw(&t, &p, "This machine");
    fclose(p.file);
    expect(text, "label=\"processor 1\\n16 cores, 64 GiB\"");
    expect(text, "label=\"GPU 0\\nH100 80GB HBM3\"");
    expect(text, "label=\"mlx5_0\\n400 Gb/s\"");
    expect(text, "label=\"PCIe switch\"");
    expect(text, "label=\"NVLink x12\"");
    expect(text, "label=\"3 GPUs, 2 networks; NVLink in green\"");
    if (getenv("TOPOLOGY_KEEP")) {
        FILE *file = fopen(getenv("TOPOLOGY_KEEP"), "w");
        fputs(text, file);
        fclose(file);
    }
    free(text);
}
