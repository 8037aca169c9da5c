/* test_launch_settings.c: is a variable that makes no sense told in one sentence, before a rank is started? */
#define _GNU_SOURCE
#include "../lib/devices/device.h"
#include "started.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DISTRUN "build/bin/distrun"

TestSuite(launch_settings, .timeout = 120);

/* One sentence on stderr, these words in it, and no rank has run. */
static void expect_refused(const struct started *job, const char *what, const char *words)
{
    const char *newline = strchr(job->stderr_text, '\n');
    cr_expect(job->status == 46, "%s: status %d: %s", what, job->status, job->stderr_text);
    cr_expect(strstr(job->stderr_text, words), "%s: no \"%s\" in: %s", what, words, job->stderr_text);
    cr_expect(newline && newline[1] == '\0', "%s: not one sentence: %s", what, job->stderr_text);
    cr_expect(!strstr(job->stdout_text, "rank "), "%s: a rank has run: %s", what, job->stdout_text);
}

/* By dist_spawn, by distrun, and by a rank that some launcher has started. */
static void refused_by_all(const char *setting, const char *words)
{
    struct started job;
    char path[600];
    bool size = strncmp(setting, "WORLD_SIZE=", 11) == 0;
    STARTED(&job, SETTINGS(setting), "talk", "lines");
    expect_refused(&job, setting, words);
    STARTED(&job, SETTINGS(setting), DISTRUN, program_path("plain", path, sizeof path));
    expect_refused(&job, setting, words);
    STARTED(&job, SETTINGS("RANK=0", size ? "LOCAL_RANK=0" : "WORLD_SIZE=1", setting), "plain");
    expect_refused(&job, setting, words);
}

/* ---- wrong values ------------------------------------------------------------------------ */

static const struct {
    const char *setting, *words;
} wrong[] = {
    { "WORLD_SIZE=4x", "WORLD_SIZE is \"4x\"; it must be a whole number from 1 to 1024." },
    { "WORLD_SIZE=-1", "WORLD_SIZE is \"-1\"; it must be a whole number" },
    { "WORLD_SIZE=99999999", "WORLD_SIZE is \"99999999\"; it must be a whole number" },
    { "WORLD_SIZE=", "WORLD_SIZE is \"\"; it must be a whole number" },
    { "BACKEND=ncll", "BACKEND is \"ncll\"; it must be shm, cuda, nccl, mpi or gloo; did you mean nccl?" },
    { "BACKEND=tcp", "BACKEND is \"tcp\"; it must be shm, cuda, nccl, mpi or gloo." },
    { "DEVICE=gpu", "DEVICE is \"gpu\"; it must be host, sim or cuda." },
    { "DEVICE=CUDA", "DEVICE is \"CUDA\"; it must be host, sim or cuda; did you mean cuda?" },
    { "DIST_ALGORITHM=rnig", "it must be gather, tree, ring, halving or messages; did you mean ring?" },
    { "DIST_ALGORITHM=", "DIST_ALGORITHM is \"\"; it must be gather" },
    { "DIST_BUFFERING=egaer:1",
      "it must be rendezvous or eager:BYTES, as in eager:4096; did you mean eager:1?" },
    { "DIST_BUFFERING=eager", "it must be rendezvous or eager:BYTES, as in eager:4096." },
    { "DIST_BUFFERING=eager:-1", "it must be rendezvous or eager:BYTES, as in eager:4096." },
    { "DIST_BUFFERING=eager:4k", "it must be rendezvous or eager:BYTES, as in eager:4096." },
    { "DIST_BUFFERING=eager:BYTES", "it must be rendezvous or eager:BYTES, as in eager:4096." },
    { "DIST_CHECK=yes", "DIST_CHECK is \"yes\"; it must be 0 or 1." },
    { "DIST_CONNECT=layz", "DIST_CONNECT is \"layz\"; it must be init or lazy; did you mean lazy?" },
    { "DIST_INIT_TIMEOUT=",
      "DIST_INIT_TIMEOUT is \"\"; it must be a whole number from 1 to 86400 (seconds)." },
    { "DIST_INIT_TIMEOUT=0", "it must be a whole number from 1 to 86400" },
    { "DIST_TIMEOUT=abc", "DIST_TIMEOUT is \"abc\"; it must be a whole number from 1 to 86400 (seconds)." },
    { "DIST_NCCL_PLAIN=true", "DIST_NCCL_PLAIN is \"true\"; it must be 0 or 1." },
    { "DIST_NCCL_SHARE_GPU=2", "DIST_NCCL_SHARE_GPU is \"2\"; it must be 0 or 1." },
    { "DIST_OUTPUT=x", "DIST_OUTPUT is \"x\"; it must be live or ordered." },
    { "DIST_RANKS=thread", "it must be processes or threads; did you mean threads?" },
    { "DIST_SIM=pci", "20:1.5 for 20 microseconds and 1.5 GB/s; did you mean pcie?" },
    { "DIST_SIM=5:", "it must be nvlink, pcie, ib or LATENCY:BANDWIDTH" },
    { "DIST_SIM=5:1x", "it must be nvlink, pcie, ib or LATENCY:BANDWIDTH" },
};

Test(launch_settings, wrong_values_are_refused)
{
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (strcmp(wrong[i].setting, "WORLD_SIZE=") != 0)
            refused_by_all(wrong[i].setting, wrong[i].words);
}

static const char *const right[] = {
    "BACKEND=",     "DEVICE=",           "DIST_TRACE=",       "DIST_REPORT=",
    "DIST_SIM=ib",  "DIST_SIM=0.5:1e3",  "DIST_TIMEOUT=1",    "DIST_BUFFERING=eager:0",
    "DIST_CHECK=0", "DIST_NCCL_PLAIN=1", "DIST_CONNECT=init", "DIST_TRACE=/dev/null"
};

Test(launch_settings, right_values_are_taken_in_silence)
{
    struct started job;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        STARTED(&job, SETTINGS(right[i], "RANK=0", "WORLD_SIZE=1"), "plain");
        cr_expect(job.status == 0 && job.stderr_text[0] == '\0', "%s: %s", right[i], job.stderr_text);
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static const struct {
    const char *file, *words;
} files[] = {
    { "/no/such/run.json",
      "/no/such/run.json, but there is no folder /no/such; make it, or name another file." },
    { "nowhere/run.json", "but there is no folder nowhere; make it" },
    { "/tmp", "/tmp, which is a folder; name a file in it." },
    { "/tmp/", "/tmp/, which is a folder; name a file in it." },
    { "/etc/passwd/run.json", "which cannot be written: Not a directory; name another file." },
    { "/proc/run.json", "which cannot be written: Permission denied; name another file." },
    { "/dev/full", "which cannot be written: No space left on device; name another file." },
};

Test(launch_settings, a_file_that_cannot_be_written_is_told_before_the_run)
{
    static const char *const names[] = { "DIST_TRACE", "DIST_REPORT" };
    char setting[5000], words[200];
    for (int name = 0; name < 2; name++)
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            snprintf(setting, sizeof setting, "%s=%s", names[name], files[i].file);
            snprintf(words, sizeof words, "%s names ", names[name]);
            refused_by_all(setting, words);
            refused_by_all(setting, files[i].words);
        }
    static const int longer[] = { 300, 4200 };
    for (int i = 0; i < 2; i++) {
        snprintf(setting, sizeof setting, "DIST_TRACE=%0*d", longer[i], 0);
        refused_by_all(
            setting, "..., which cannot be written: File"); /* name too long, in glibc's words or in musl's */
    }
}

/* What was there stays as it was until the run has ended, and nothing new lies beside it. */
Test(launch_settings, looking_whether_a_file_can_be_written_changes_nothing)
{
    char folder[] = "/tmp/test_settings.XXXXXX", setting[200], kept[100] = "", command[200];
    struct started job;
    cr_assert(mkdtemp(folder));
    snprintf(setting, sizeof setting, "DIST_REPORT=%s/report.json", folder);
    const char *path = strchr(setting, '=') + 1;
    FILE *file = fopen(path, "w");
    fputs("what was there", file);
    fclose(file);
    STARTED(&job, SETTINGS(setting), "talk", "lines");
    cr_expect_eq(job.status, 0);
    file = fopen(path, "r");
    cr_expect(fgets(kept, sizeof kept, file) && strcmp(kept, "what was there") == 0, "%s", kept);
    fclose(file);
    unlink(path);
    STARTED(&job, SETTINGS(setting), "talk", "lines");
    cr_expect(job.status == 0 && rmdir(folder) == 0, "something lies in %s", folder);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_expect_eq(system(command), 0);
}

/* ---- GPUs -------------------------------------------------------------------------------- */

static const struct {
    const char *backend, *device, *words;
} gpus[] = {
    { "BACKEND=nccl", "DEVICE=host", "but DEVICE is \"host\"; unset DEVICE, or take BACKEND=shm." },
    { "BACKEND=nccl", "DEVICE=sim", "but DEVICE is \"sim\"; unset DEVICE, or take BACKEND=cuda" },
    { "BACKEND=nccl", "DEVICE=bogus", "DEVICE is \"bogus\"; it must be host, sim or cuda." },
    { "BACKEND=shm", "DEVICE=cuda", "DEVICE is \"cuda\", but BACKEND is \"shm\", which cannot reach" },
    { "BACKEND=bogus", "DEVICE=cuda", "BACKEND is \"bogus\"; it must be shm, cuda, nccl, mpi or gloo." },
};

Test(launch_settings, backend_and_device_that_do_not_fit)
{
    struct started job;
    for (size_t i = 0; i < sizeof gpus / sizeof gpus[0]; i++) {
        STARTED(&job, SETTINGS(gpus[i].backend, gpus[i].device), "talk", "lines");
        expect_refused(&job, gpus[i].backend, gpus[i].words);
    }
}

/* What was asked for is named, what is missing, and what to take instead. */
Test(launch_settings, where_there_is_no_gpu)
{
    static const char *const wishes[][4] = {
        { "BACKEND=nccl", "DEVICE=", "BACKEND is \"nccl\", but ",
          "take BACKEND=shm DEVICE=host, which need none." },
        { "BACKEND=nccl", "DEVICE=cuda", "BACKEND is \"nccl\", but ",
          "take BACKEND=shm DEVICE=host, which need none." },
        { "BACKEND=cuda", "DEVICE=", "BACKEND is \"cuda\", but ", "take DEVICE=sim, which simulates one." },
        { "BACKEND=", "DEVICE=cuda", "DEVICE is \"cuda\", but ", "take DEVICE=sim, which simulates one." },
    };
    struct started job;
    enum gpu_found found = device_gpu_found("");
    if (found == GPU_FOUND)
        cr_skip_test("there is a GPU here");
    const char *missing =
        found == GPU_NONE ? "no NVIDIA GPU can be seen on this machine" : "no NVIDIA driver can be seen";
    for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
        STARTED(&job, SETTINGS(wishes[i][0], wishes[i][1], "DIST_OUTPUT=ordered"), "traced", "mixed");
        expect_refused(&job, wishes[i][0], wishes[i][2]);
        expect_refused(&job, wishes[i][0], missing);
        expect_refused(&job, wishes[i][0], wishes[i][3]);
    }
}

static void put(const char *folder, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    cr_assert(file, "%s", path);
    fputs(text, file);
    fclose(file);
}

Test(launch_settings, a_gpu_without_its_driver_is_seen)
{
    char root[] = "/tmp/test_gpus.XXXXXX", command[200];
    cr_assert(mkdtemp(root));
    snprintf(command, sizeof command, "mkdir -p %s/dev %s/sys/bus/pci/devices/a %s/sys/bus/pci/devices/b",
             root, root, root);
    cr_assert_eq(system(command), 0);
    put(root, "sys/bus/pci/devices/a/vendor", "0x8086\n");
    put(root, "sys/bus/pci/devices/a/class", "0x030000\n");
    put(root, "sys/bus/pci/devices/b/vendor", "0x10de\n");
    put(root, "sys/bus/pci/devices/b/class", "0x040300\n"); /* only its sound */
    cr_expect_eq(device_gpu_found(root), GPU_NONE);
    put(root, "sys/bus/pci/devices/b/class", "0x030200\n");
    cr_expect_eq(device_gpu_found(root), GPU_NO_DRIVER);
    put(root, "dev/nvidiactl", "");
    cr_expect_eq(device_gpu_found(root), GPU_FOUND);
    snprintf(command, sizeof command, "rm -rf %s", root);
    cr_expect_eq(system(command), 0);
}

/* Else each would wait for the other, in its own way, for ever. */
Test(launch_settings, ranks_that_choose_another_backend_or_algorithm)
{
    static const char *const choices[] = { "BACKEND=mpi", "BACKEND=gloo", "DIST_ALGORITHM=ring",
                                           "DIST_FLAT=1" };
    struct started job;
    char path[600], line[700];
    program_path("plain", path, sizeof path);
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        snprintf(line, sizeof line, "test $RANK = 0 || export %s; exec %s", choices[i], path);
        STARTED(&job, NULL, DISTRUN, "-n", "2", "sh", "-c", line);
        cr_expect_eq(job.status, 46, "%s: %d", choices[i], job.status);
        bool missing = strncmp(choices[i], "BACKEND", 7) == 0 && strstr(job.stderr_text, "; install ");
        cr_expect(missing || strstr(job.stderr_text, "give all the same"), "%s: %s", choices[i],
                  job.stderr_text); /* (without its plug-in a rank may fail before it is compared) */
    }
}
