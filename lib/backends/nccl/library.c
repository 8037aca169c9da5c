/* library.c: see library.h. */
#include "library.h"
#include "../../dist_base.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Makefile tells where it was at build time. */
#ifdef NCCL_FOUND_IN
#define TEXT(path) TEXT_OF(path)
#define TEXT_OF(path) #path
#define USUAL_FOLDER TEXT(NCCL_FOUND_IN)
#else
#define USUAL_FOLDER ""
#endif
#ifdef __HIP_PLATFORM_AMD__ /* RCCL has NCCL's names */
#define SONAME "librccl.so.1"
#else
#define SONAME "libnccl.so.2"
#endif

const struct nccl_calls *nccl_double;

/* lib/devices' function; weak, because the device may not be built in. */
extern cudaStream_t cuda_stream_of(struct stream *stream) __attribute__((weak));
extern void cuda_use(struct stream *stream) __attribute__((weak));

static const struct {
    const char *name;
    size_t place;
    bool optional;
} symbols[] = {
#define NCCL_SYMBOL(name, field) { #name, offsetof(struct nccl_calls, field), false },
    NCCL_CALLS(NCCL_SYMBOL){ "ncclAlltoAll", offsetof(struct nccl_calls, all_to_all), true },
    { "ncclGather", offsetof(struct nccl_calls, gather), true },
    { "ncclScatter", offsetof(struct nccl_calls, scatter), true },
};

/* What a variable names comes before what the loader finds, and that before where it was at build time. */
static void *nccl_library_open_library(void)
{
    static const struct {
        const char *variable, *folder;
    } places[] = { { "NCCL_HOME", "/lib/" },    { NULL, "" },
                   { "CUDA_HOME", "/lib64/" },  { "CUDA_HOME", "/lib/" },
                   { "CONDA_PREFIX", "/lib/" }, { "ROCM_PATH", "/lib/" } };
    char path[4096];
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *root = places[i].variable ? getenv(places[i].variable) : "";
        if (!root || (places[i].variable && !*root))
            continue;
        snprintf(path, sizeof path, "%s%s" SONAME, root, places[i].folder);
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return dlopen(USUAL_FOLDER SONAME, RTLD_NOW | RTLD_LOCAL);
}

static bool nccl_library_fill(struct nccl_calls *calls, void *library, struct why *why)
{
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol && !symbols[i].optional) {
            why_say(why, "this machine's NCCL has no %s; it must be version 2.18 or newer", symbols[i].name);
            return false;
        }
        memcpy((char *)calls + symbols[i].place, &symbol, sizeof symbol);
    }
    calls->stream_of = cuda_stream_of;
    calls->use = cuda_use;
    return true;
}

const struct nccl_calls *nccl_library(struct why *why)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct nccl_calls calls;
    static bool filled;
    if (nccl_double)
        return nccl_double;
    if (!cuda_stream_of) {
        why_say(why,
                "NCCL moves the memory of NVIDIA GPUs, and this library was built without CUDA; see `make "
                "doctor`, or take BACKEND=shm");
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (!filled) {
        void *library = nccl_library_open_library();
        if (library)
            filled = nccl_library_fill(&calls, library, why);
        else
            why_say(why,
                    "NCCL cannot be loaded (%.90s); say where it is with NCCL_HOME, or take BACKEND=cuda",
                    dlerror());
    }
    pthread_mutex_unlock(&lock);
    return filled ? &calls : NULL;
}

/* ---- what it says ---------------------------------------------------------------------- */

/* NCCL finds out itself when two ranks have one GPU. Up to 2.29 it says which: "Duplicate GPU detected : rank 1 and rank 0 both on
 * CUDA device 1000"; from 2.30 on only "Multiple Ranks are using the same GPU/Partition". */
static bool nccl_says_shared(const char *text, struct why *why)
{
    int a, b;
    char whose[40] = "several ranks";
    const char *found = strstr(text, "Duplicate GPU");
    const char *who = found ? strstr(found, "rank ") : NULL;
    if (!found && !strstr(text, "using the same GPU"))
        return false;
    if (who && sscanf(who, "rank %d and rank %d", &a, &b) == 2)
        snprintf(whose, sizeof whose, "ranks %d and %d", a < b ? a : b, a < b ? b : a);
    why_say(why,
            "%s share a GPU, and NCCL wants one for each rank; take BACKEND=cuda, or set "
            "DIST_NCCL_SHARE_GPU=1: then NCCL goes through sockets, slowly, which only shows that a program "
            "is right",
            whose);
    return true;
}

int nccl_explain(const struct nccl_calls *calls, ncclResult_t result, struct why *why)
{
    const char *last = calls->get_last_error(NULL);
    if (result == ncclInvalidUsage && last && nccl_says_shared(last, why))
        return DIST_ERR_ENVIRONMENT;
    if (result == ncclRemoteError)
        return why_fail(DIST_ERR_PEER_LOST, why,
                        "NCCL has lost another rank: it has ended, or the network to it has failed");
    return why_fail(DIST_ERR_SYSTEM, why, "NCCL says \"%.60s\"%s%.100s (NCCL_DEBUG=WARN tells more)",
                    calls->get_error_string(result), last && *last ? ": " : "", last && *last ? last : "");
}
