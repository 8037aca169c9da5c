/* settings.c: see settings.h. */
#include "settings.h"
#include "text.h"
#include "whole.h"
#include "world.h"

#include <stdlib.h>
#include <string.h>

#define DAY 86400 /* seconds */

static bool settings_is_eager(const char *text)
{
    size_t digits = strncmp(text, "eager:", 6) == 0 ? strspn(text + 6, "0123456789") : 0;
    return digits > 0 && digits < 18 && text[6 + digits] == '\0';
}

/* At a kilobyte in a second a terabyte takes as long as a number of nanoseconds can tell. */
bool setting_read_link(const char *text, double *microseconds, double *gigabytes)
{
    char *end, *last = "x";
    void *language = text_use_point();
    *microseconds = strtod(text, &end);
    *gigabytes = end > text && *end == ':' ? strtod(end + 1, &last) : 0;
    text_use_language(language);
    return *last == '\0' && *gigabytes >= 1e-6 && *gigabytes < 1e9 && *microseconds >= 0 &&
           *microseconds < 1e9;
}

static bool settings_is_link(const char *text)
{
    double microseconds, gigabytes;
    return setting_read_link(text, &microseconds, &gigabytes);
}

const struct setting settings[] = {
    { "BACKEND", .kind = SETTING_WORD, .words = { "shm", "cuda", "nccl", "mpi", "gloo" }, .empty = true },
    { "DEVICE", .kind = SETTING_WORD, .words = { "host", "sim", "cuda" }, .empty = true },
    { "WORLD_SIZE", .kind = SETTING_NUMBER, .least = 1, .most = WORLD_MAX_RANKS },
    { "DIST_ALGORITHM", .kind = SETTING_WORD, .words = { "gather", "tree", "ring", "halving", "messages" } },
    { "DIST_BUFFERING", .kind = SETTING_WORD, .words = { "rendezvous", "eager:BYTES" },
      .also = settings_is_eager, .example = "eager:4096" },
    { "DIST_CHECK", .kind = SETTING_WORD, .words = { "0", "1" } },
    { "DIST_CONNECT", .kind = SETTING_WORD, .words = { "init", "lazy" } },
    { "DIST_FLAT", .kind = SETTING_WORD, .words = { "0", "1" } },
    { "DIST_INIT_TIMEOUT", .kind = SETTING_NUMBER, .least = 1, .most = DAY },
    { "DIST_NCCL_PLAIN", .kind = SETTING_WORD, .words = { "0", "1" } },
    { "DIST_NCCL_SHARE_GPU", .kind = SETTING_WORD, .words = { "0", "1" } },
    { "DIST_OUTPUT", .kind = SETTING_WORD, .words = { "live", "ordered" } },
    { "DIST_RANKS", .kind = SETTING_WORD, .words = { "processes", "threads" } },
    { "DIST_REPORT", .kind = SETTING_FILE, .empty = true },
    { "DIST_SHUFFLE", .kind = SETTING_NUMBER, .least = 1, .most = 999999999 },
    { "DIST_SIM", .kind = SETTING_WORD, .words = { "nvlink", "pcie", "ib", "LATENCY:BANDWIDTH" },
      .also = settings_is_link, .example = "20:1.5 for 20 microseconds and 1.5 GB/s" },
    { "DIST_TIMEOUT", .kind = SETTING_NUMBER, .least = 1, .most = DAY },
    { "DIST_TRACE", .kind = SETTING_FILE, .empty = true },
    { "MASTER_ADDR", .kind = SETTING_OTHER },
    { "MASTER_PORT", .kind = SETTING_OTHER },
    { "NCCL_HOME", .kind = SETTING_OTHER },
    { "CUDA_HOME", .kind = SETTING_OTHER },
    { "NO_COLOR", .kind = SETTING_OTHER },
    { "TMPDIR", .kind = SETTING_OTHER },
    { "DIST_SECRET", .kind = SETTING_OTHER },
    { "DIST_WORLD_FD", .kind = SETTING_OTHER },
    { "DIST_TEST_BACKENDS", .kind = SETTING_OTHER },
    { "DIST_TEST_SEED", .kind = SETTING_OTHER },
    { "DIST_TEST_SPARSE", .kind = SETTING_OTHER },
};
const size_t settings_count = sizeof settings / sizeof settings[0];

/* ---- values ----------------------------------------------------------------------------- */

long setting_whole_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits < 10 && text[digits] == '\0' ? strtol(text, NULL, 10) : -1;
}

bool setting_read_number(const char *text, long least, long most, int *number)
{
    long value = setting_whole_number(text);
    *number = (int)value;
    return value >= least && value <= most;
}

int setting_check_number(const char *name, const char *text, long least, long most, int *number,
                         struct why *why)
{
    if (setting_read_number(text, least, most, number))
        return 0;
    return why_fail(DIST_ERR_ENVIRONMENT, why, "%s is \"%.40s\"; it must be a whole number from %ld to %ld",
                    name, text, least, most);
}

/* ---- one, and all ------------------------------------------------------------------------- */

static int settings_check_one(const struct setting *setting, struct why *why)
{
    const char *text = getenv(setting->name);
    int number;
    if (!text || (setting->empty && !*text) || setting->kind == SETTING_OTHER)
        return 0;
    if (setting->kind == SETTING_FILE)
        return setting_check_file(setting->name, text, why);
    if (setting->kind == SETTING_WORD)
        return setting_check_word(setting, text, why);
    int status = setting_check_number(setting->name, text, setting->least, setting->most, &number, why);
    if (status != 0 && setting->most == DAY)
        why_add(why, " (seconds)");
    return status;
}

const struct setting *setting_named(const char *name, size_t length)
{
    for (size_t i = 0; i < settings_count; i++)
        if (strlen(settings[i].name) == length && strncmp(settings[i].name, name, length) == 0)
            return &settings[i];
    return NULL;
}

int setting_check(const char *name, struct why *why)
{
    return settings_check_one(setting_named(name, strlen(name)), why);
}

/* Two that are right by themselves. */
static int settings_check_together(struct why *why)
{
    const char *device = setting_text("DEVICE");
    bool gpu = setting_is("DEVICE", "cuda");
    if (device && !gpu && setting_is("BACKEND", "nccl"))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "BACKEND is \"nccl\", which only moves the memory of GPUs, but DEVICE is \"%s\"; "
                        "unset DEVICE, or take BACKEND=%s",
                        device,
                        strcmp(device, "sim") == 0 ? "cuda, which also works on simulated GPUs" : "shm");
    if (gpu && setting_is("BACKEND", "shm"))
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "DEVICE is \"cuda\", but BACKEND is \"shm\", which cannot reach the memory of a GPU; "
                        "unset BACKEND, or take DEVICE=sim");
    return 0;
}

int settings_check(struct why *why)
{
    int status = 0;
    for (size_t i = 0; i < settings_count && status == 0; i++)
        status = settings_check_one(&settings[i], why);
    return status ? status : settings_check_together(why);
}

const char *setting_text(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

bool setting_is(const char *name, const char *text)
{
    const char *is = getenv(name);
    return is && strcmp(is, text) == 0;
}

long setting_number(const char *name, long usual)
{
    const char *text = setting_text(name);
    return text ? strtol(text, NULL, 10) : usual;
}

void settings_put_away(long pid)
{
    for (size_t i = 0; i < settings_count; i++)
        if (settings[i].kind == SETTING_FILE)
            whole_put_away(setting_text(settings[i].name), pid);
}
