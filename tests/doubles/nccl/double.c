/* double.c: see double.h. */
#define _GNU_SOURCE
#include "double.h"
#include "../../../lib/launch/launch.h"
#include "../../../lib/dist.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_BYTES 16384
#define MOST_STEPS 2048

struct double_script script;
pthread_mutex_t double_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t double_news = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t keeping = PTHREAD_MUTEX_INITIALIZER;
static char logs[DOUBLE_RANKS][LOG_BYTES];
static _Thread_local struct step steps[MOST_STEPS];
static _Thread_local int step_count, depth;
static _Thread_local bool means_gpu;
static _Thread_local ncclResult_t group_failed; /* what a call in it has said */

/* ---- writing down --------------------------------------------------------------------------- */

static int me(void)
{
    return launch_self_if_any()->env.rank;
}

void double_note(const char *format, ...)
{
    char *log = logs[me()];
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&keeping);
    size_t used = strlen(log);
    vsnprintf(log + used, LOG_BYTES - used, format, list);
    pthread_mutex_unlock(&keeping);
    va_end(list);
}

const char *double_log(int rank)
{
    return logs[rank];
}

void double_forget(int rank)
{
    logs[rank][0] = '\0';
}

const char *comm_name(ncclComm_t comm, char *text, size_t size)
{
    snprintf(text, size, comm->number ? "split %d" : "the world", comm->number);
    return text;
}

/* Who looks for leaks finds everything hanging here. */
void *double_keep(size_t bytes)
{
    struct kept {
        struct kept *next;
        max_align_t memory[];
    };
    static struct kept *first;
    struct kept *kept = calloc(1, sizeof *kept + bytes);
    pthread_mutex_lock(&keeping);
    kept->next = first;
    first = kept;
    pthread_mutex_unlock(&keeping);
    return kept->memory;
}

static const char *type_name(ncclDataType_t type)
{
    static const char *const names[] = { "int8",   "uint8",   "int32",   "uint32",  "int64",
                                         "uint64", "float16", "float32", "float64", "bfloat16" };
    return names[type];
}

bool double_fails(const char *name)
{
    return script.fails && strcmp(script.fails, name) == 0;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static ncclResult_t group_start(void)
{
    double_note("{\n");
    depth++;
    return ncclSuccess;
}

/* Behind what it has put off already. */
static void put_off(const struct step *step)
{
    ncclComm_t comm = step->comm;
    if (!comm->later)
        comm->later = double_keep(MOST_STEPS * sizeof *comm->later);
    if (comm->later_count == MOST_STEPS)
        abort();
    comm->later[comm->later_count++] = *step;
}

static ncclResult_t group_end(void)
{
    double_note("}\n");
    double_expect_gpu("GroupEnd");
    depth--;
    comms_group_end();
    ncclResult_t failed = double_fails("GroupEnd") ? script.with : group_failed;
    pthread_mutex_lock(&double_lock);
    for (int i = 0; i < step_count && failed == ncclSuccess; i++) {
        steps[i].comm->polls = script.polls;
        put_off(&steps[i]);
    }
    pthread_mutex_unlock(&double_lock);
    step_count = 0;
    group_failed = ncclSuccess;
    return failed != ncclSuccess ? failed : ncclInProgress;
}

int double_depth(void)
{
    return depth;
}

ncclResult_t double_add(struct step step, const char *rest)
{
    char name[32];
    double_note("  %s %zu %s%s on %s\n", step.name, step.count, type_name(step.type), rest,
                comm_name(step.comm, name, sizeof name));
    comms_expect_open(step.comm, step.name);
    if (double_fails(step.name) || !comms_is_ready(step.comm))
        return group_failed = double_fails(step.name) ? script.with : ncclInvalidArgument;
    if (depth == 0 || step_count == MOST_STEPS)
        abort(); /* the backend never calls outside a group */
    steps[step_count++] = step;
    return ncclInProgress;
}

/* ---- the table ----------------------------------------------------------------------------------- */

static const char *get_error_string(ncclResult_t result)
{
    return result == ncclUnhandledCudaError ? "unhandled cuda error" : "some error";
}

static const char *get_last_error(ncclComm_t comm)
{
    (void)comm;
    return script.last_error ? script.last_error : "";
}

void double_expect_gpu(const char *call)
{
    if (means_gpu)
        return;
    fprintf(stderr, "nccl%s: this thread has not said which GPU it means\n", call);
    abort();
}

static void use(struct stream *stream)
{
    if (script.gpu)
        script.gpu->use(stream);
    means_gpu = true;
}

/* A stream of the simulated GPU passes for one of CUDA. */
static cudaStream_t stream_of(struct stream *stream)
{
    return script.gpu ? script.gpu->stream_of(stream) : (cudaStream_t)(void *)stream;
}

void double_play(const struct double_script *how)
{
    static struct nccl_calls calls;
    static const struct nccl_calls all = {
        .get_error_string = get_error_string,
        .get_last_error = get_last_error,
        .get_unique_id = double_get_unique_id,
        .comm_init_rank_config = double_comm_init_rank_config,
        .comm_split = double_comm_split,
        .comm_finalize = double_comm_finalize,
        .comm_destroy = double_comm_destroy,
        .comm_abort = double_comm_abort,
        .comm_get_async_error = double_comm_get_async_error,
        .comm_count = double_comm_count,
        .comm_user_rank = double_comm_user_rank,
        .group_start = group_start,
        .group_end = group_end,
        .stream_of = stream_of,
        .use = use,
    };
    script = *how;
    calls = all;
    double_fill(&calls);
    for (int i = 0; i < DOUBLE_RANKS; i++)
        double_forget(i);
    comms_forget();
    nccl_double = &calls;
}
