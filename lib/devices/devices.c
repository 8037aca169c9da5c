/* devices.c: why a device fails, and why there is no GPU, as one sentence. */
#include "device.h"
#include "../launch/text.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char why[256];

const char *device_why(void)
{
    return why;
}

int device_fail(enum dist_error status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    return status;
}

/* ---- why there is no GPU: what is missing is named first by what the machine has. Without a GPU no driver helps, and without a driver
 * no toolkit. */

static bool devices_starts_with(const char *path, const char *text)
{
    char line[16] = "";
    return text_find_line(path, "", line, sizeof line) && strncmp(line, text, strlen(text)) == 0;
}

/* NVIDIA's, and a display (0x03), among all that hangs on PCIe. */
static bool devices_has_gpu(const char *root)
{
    char pattern[512], path[600];
    glob_t found = { 0 };
    bool is = false;
    snprintf(pattern, sizeof pattern, "%s/sys/bus/pci/devices/*", root);
    if (glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc && !is; i++) {
            snprintf(path, sizeof path, "%.500s/vendor", found.gl_pathv[i]);
            is = devices_starts_with(path, "0x10de");
            snprintf(path, sizeof path, "%.500s/class", found.gl_pathv[i]);
            is = is && devices_starts_with(path, "0x03");
        }
    globfree(&found);
    return is;
}

enum gpu_found device_gpu_found(const char *root)
{
    static const char *const drivers[] = { "/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg" };
    char path[512];
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        snprintf(path, sizeof path, "%s%s", root, drivers[i]);
        if (access(path, F_OK) == 0)
            return GPU_FOUND;
    }
    return devices_has_gpu(root) ? GPU_NO_DRIVER : GPU_NONE;
}

int device_fail_without_gpu(enum gpu_found found, const char *otherwise)
{
    const char *missing = found == GPU_NONE ? "no NVIDIA GPU can be seen on this machine"
                          : found == GPU_NO_DRIVER
                              ? "no NVIDIA driver can be seen here; install it (a container needs --gpus all)"
                              : otherwise;
    const char *instead = strcmp(launch_backend(), "nccl") == 0
                              ? "take BACKEND=shm DEVICE=host, which need none"
                              : "take DEVICE=sim, which simulates one";
    return device_fail(DIST_ERR_ENVIRONMENT, "%s, but %s%s %s", launch_gpu_wish(), missing,
                       found == GPU_NONE ? ";" : ", or", instead);
}
