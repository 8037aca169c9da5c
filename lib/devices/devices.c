/* devices.c: the devices that this library was built with. */
#include "device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct device *const devices[] = { &device_sim, &device_cuda };

const struct device *device_named(const char *name)
{
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        if (strcmp(devices[i]->name, name) == 0)
            return devices[i];
    return NULL;
}

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
