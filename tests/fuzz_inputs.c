/* fuzz_inputs.c: the fuzzer's targets besides pictures: the environment, command lines, files of /sys. */
#define _GNU_SOURCE
#include "fuzz_one.h"
#include "trace_file.h"
#include "../diagrams/cli.h"
#include "../diagrams/topology.h"
#include "../lib/devices/link.h"
#include "../lib/launch/launch.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a file ----------------------------------------------------------------------------- */

int fuzz_judge(const void *bytes, size_t size)
{
    char path[64], why[200] = "";
    struct trace_counts counts;
    int fd = memfd_create("trace", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    bool good = trace_judge(path, &counts, why, sizeof why);
    close(fd);
    if (!good)
        fuzz_check_sentence(why);
    return good;
}

/* ---- lines ------------------------------------------------------------------------------ */

#define LINES 40

/* The input's lines as texts. Free the first one. */
static int split(const void *bytes, size_t size, char **line)
{
    int count = 0;
    char *text = malloc(size + 1), *at = text;
    memcpy(text, bytes, size);
    text[size] = '\0';
    for (size_t i = 0; i < size; i++)
        text[i] = text[i] ? text[i] : ' ';
    while (count < LINES && (line[count] = strsep(&at, "\n")))
        count++;
    return count;
}

/* What a name may mean a file in the folder of the tests, or a device: nothing is written here. */
static int check_status(int status, const struct why *why)
{
    if (status != 0)
        fuzz_check_sentence(why->text);
    return status == 0;
}

static int read_settings(void)
{
    struct why why = { "" };
    bool threads, ordered;
    int good = check_status(settings_check(&why), &why);
    size_t eager;
    struct link link;
    good &= check_status(launch_read_modes(&threads, &ordered, &why), &why);
    good &= check_status(launch_read_buffering(&eager, &why), &why);
    return good & check_status(link_read(&link, &why), &why);
}

static int read_place(void)
{
    struct why why = { "" };
    struct launch_env env;
    int status = launch_read_env(&env, &why);
    if (status == 0 && (env.world_size < 1 || env.rank < 0 || env.rank >= env.world_size ||
                        env.local_size == 0 || env.local_rank < -1 || env.local_rank >= env.world_size ||
                        env.local_size < -1 || env.local_size > env.world_size))
        abort();
    return check_status(status, &why);
}

/* NAME=VALUE: sets it, and leaves NAME. */
static void set_variable(char *line)
{
    char *value = strchr(line, '=');
    bool named = value && value > line && strncmp(line, "LD_", 3) != 0;
    if (value)
        *value = '\0';
    if (named)
        setenv(line, value + 1, 1);
    else
        *line = '\0';
}

int fuzz_environment(const void *bytes, size_t size)
{
    char *line[LINES + 1];
    int count = split(bytes, size, line);
    for (int i = 0; i < count; i++)
        set_variable(line[i]);
    int good = read_settings() + read_place();
    for (int i = 0; i < count; i++)
        unsetenv(line[i]);
    free(line[0]);
    return good == 2;
}

/* ---- the words of a command line ----------------------------------------------------------- */

/* distrun, as it is, up to the start of a job. */
struct job_plan;
static jmp_buf ended;
static int start_nothing(const struct job_plan *plan, struct why *why)
{
    (void)plan;
    (void)why;
    return 0;
}

static _Noreturn void end_here(int status)
{
    longjmp(ended, status + 1);
}

int distrun_main(int argc, char **argv);
#define main distrun_main
#define job_run start_nothing
#define exit end_here
#include "../lib/launch/distrun.c"
#undef main
#undef job_run
#undef exit

static int read_options_of_ours(int count, char **words)
{
    const char *out = NULL, *name = NULL;
    bool time = false;
    const struct cli_option options[] = {
        { "-o", &out, NULL }, { "--time", NULL, &time }, { "--name", &name, NULL }, { NULL, NULL, NULL }
    };
    struct cli cli = {
        .program = "fuzz", .help = "usage: fuzz\n", .options = options, .least = 1, .most = 2
    };
    return cli_read(&cli, count, words);
}

int fuzz_words(const void *bytes, size_t size)
{
    static char *words[LINES + 2] = { "fuzz" };
    static char *text;
    static int count, status;
    count = split(bytes, size, words + 1) + 1;
    words[count] = NULL;
    text = words[1];
    words[1] += *text != '\0';
    status = setjmp(ended);
    if (status == 0)
        status = *text == 'd' ? read_options_of_ours(count, words) : distrun_main(count, words);
    free(text);
    return status <= 0;
}

/* ---- a machine ----------------------------------------------------------------------------- */

#define DEVICE "/sys/bus/pci/devices/0000:0"

static const char *const files[] = {
    "/sys/devices/system/node/node0/cpulist",
    "/sys/devices/system/node/node0/meminfo",
    "/sys/devices/system/node/node1/cpulist",
    "/sys/devices/system/cpu/online",
    "/proc/meminfo",
    DEVICE "1:00.0/class",
    DEVICE "1:00.0/vendor",
    DEVICE "1:00.0/numa_node",
    DEVICE "1:00.0/current_link_speed",
    DEVICE "1:00.0/current_link_width",
    DEVICE "2:00.0/class",
    DEVICE "2:00.0/vendor",
    DEVICE "2:00.0/numa_node",
    "/sys/class/net/eth0/speed",
    "/proc/driver/nvidia/gpus/0000:01:00.0/information",
};
#define FILES (sizeof files / sizeof *files)

static char root[] = "/tmp/fuzz-machine-XXXXXX";

static void make_folders(char *path)
{
    for (char *slash = strchr(path + sizeof root, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void put_file(const char *name, const char *text, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s%s", root, name);
    make_folders(path);
    FILE *file = fopen(path, "w");
    if (!file || fwrite(text, 1, size, file) != size || fclose(file) != 0)
        abort();
}

static void remove_machine(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", root);
    if (system(command) != 0)
        perror(root);
}

int fuzz_topology(const void *bytes, size_t size)
{
    const char *at = bytes, *end = at + size;
    if (!mkdtemp(root))
        abort();
    for (size_t i = 0; i < FILES; i++) {
        const char *next = memmem(at, (size_t)(end - at), "\n\n", 2);
        put_file(files[i], at, (size_t)((next ? next + 1 : end) - at));
        at = next ? next + 2 : end;
    }
    put_file(DEVICE "2:00.0/net/eth0/address", "", 0);
    struct topology machine;
    char *text = NULL;
    size_t length;
    struct picture p = { .file = open_memstream(&text, &length) };
    topology_read(&machine, root);
    topology_words(&machine, p.file);
    topology_draw(&machine, &p, "This machine");
    fclose(p.file);
    free(text);
    remove_machine();
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    return machine.part_count > 0;
}
