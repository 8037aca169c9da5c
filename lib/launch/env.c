/* env.c: what the environment says about this rank: who started it, and as which one of how many; and how distrun says so. */
#define _GNU_SOURCE
#include "job.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The variables by which a launcher tells a rank its place. NULL: this launcher does not say. */
struct dialect {
    enum launcher launcher;
    const char *sign; /* set only by this launcher */
    const char *rank;
    const char *world_size;
    const char *local_rank;
    const char *local_size;
    const char *node; /* of a list of sizes: which entry is this machine's? */
};

/* In order of precedence: what starts processes around another launcher's variables comes first. */
static const struct dialect dialects[] = {
    { LAUNCH_DISTRUN, "DIST_WORLD_FD", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", NULL },
    { LAUNCH_OPENMPI, "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
      "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE", NULL },
    { LAUNCH_MPICH, "PMI_RANK", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", NULL },
    { LAUNCH_SLURM, "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID",
      "SLURM_STEP_TASKS_PER_NODE", "SLURM_NODEID" },
    { LAUNCH_TORCHRUN, "RANK", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", NULL },
};

/* The cuda backend joins threads: then ranks are threads, unless somebody wants the impossible. */
int launch_read_modes(bool *threads, bool *ordered, struct why *why)
{
    int status = settings_check(why);
    if (status != 0)
        return status;
    *threads = setting_is("DIST_RANKS", "threads");
    *ordered = setting_is("DIST_OUTPUT", "ordered");
    if (*threads || strcmp(launch_backend(), "cuda") != 0)
        return 0;
    *threads = true;
    if (!getenv("DIST_RANKS"))
        return 0;
    return why_fail(DIST_ERR_ENVIRONMENT, why,
                    "DIST_RANKS is \"processes\", but the cuda backend joins threads; unset DIST_RANKS");
}

const char *launch_backend(void)
{
    const char *backend = setting_text("BACKEND");
    return backend ? backend : setting_is("DEVICE", "cuda") ? "cuda" : "shm";
}

const char *launch_device(void)
{
    const char *device = setting_text("DEVICE");
    bool gpus = setting_is("BACKEND", "cuda") || setting_is("BACKEND", "nccl");
    return device ? device : gpus ? "cuda" : "host";
}

const char *launch_gpu_wish(void)
{
    if (setting_is("BACKEND", "nccl"))
        return "BACKEND is \"nccl\"";
    return setting_is("DEVICE", "cuda") ? "DEVICE is \"cuda\"" : "BACKEND is \"cuda\"";
}

int launch_read_buffering(size_t *bytes, struct why *why)
{
    const char *text = setting_text("DIST_BUFFERING");
    int status = setting_check("DIST_BUFFERING", why);
    bool eager = status == 0 && text && strncmp(text, "eager:", 6) == 0;
    *bytes = eager ? (size_t)strtoll(text + 6, NULL, 10) : 0;
    return status;
}

/* Slurm writes "3,2(x4)" for three ranks on the first machine, and two on each of four others. Where this one's begins. */
static const char *env_own_entry(const char *list, const char *name)
{
    const char *number = name ? getenv(name) : NULL;
    for (long node = number ? setting_whole_number(number) : 0; node > 0;) {
        const char *end = list + strspn(list, "0123456789");
        const char *comma = strchr(end, ',');
        long times = strncmp(end, "(x", 2) == 0 ? strtol(end + 2, NULL, 10) : 1;
        if (!comma || node < times)
            break;
        list = comma + 1;
        node -= times > 0 ? times : 1;
    }
    return list;
}

/* Numbers that a launcher may leave out. */
static int env_read_optional(const char *name, const char *node, long least, long most, int *number,
                             struct why *why)
{
    *number = -1;
    if (!name || !getenv(name))
        return 0;
    const char *text = getenv(name);
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 9 || strspn(text + digits, "(,") == 0)
        return setting_check_number(name, text, least, most, number, why);
    const char *own = env_own_entry(text, node);
    struct words first = words_of("%.*s", (int)strspn(own, "0123456789"), own);
    if (setting_read_number(first.text, least, most, number))
        return 0;
    return why_fail(DIST_ERR_ENVIRONMENT, why, "%s is \"%.40s\"; its numbers must be from %ld to %ld", name,
                    text, least, most);
}

static int env_read_dialect(const struct dialect *say, struct launch_env *env, struct why *why)
{
    env->launcher = say->launcher;
    const char *size = getenv(say->world_size), *rank = getenv(say->rank);
    if (!size)
        return why_fail(DIST_ERR_ENVIRONMENT, why, "%s is \"%.40s\" but %s is not set; set both, or unset %s",
                        say->sign, getenv(say->sign), say->world_size, say->sign);
    int status = setting_check_number(say->world_size, size, 1, WORLD_MAX_RANKS, &env->world_size, why);
    if (status != 0)
        return status;
    if (!rank)
        return why_fail(DIST_ERR_ENVIRONMENT, why, "%s is set but %s is not; a launcher sets both", say->sign,
                        say->rank);
    if (setting_whole_number(rank) >= env->world_size)
        return why_fail(DIST_ERR_ENVIRONMENT, why, "%s is \"%.40s\" but %s is %d; ranks count from 0 to %d",
                        say->rank, rank, say->world_size, env->world_size, env->world_size - 1);
    status = setting_check_number(say->rank, rank, 0, env->world_size - 1, &env->rank, why);
    if (status == 0)
        status = env_read_optional(say->local_rank, NULL, 0, env->world_size - 1, &env->local_rank, why);
    if (status == 0)
        status = env_read_optional(say->local_size, say->node, 1, env->world_size, &env->local_size, why);
    if (env->local_size < 0)
        env->local_size = env->world_size;
    if (status == 0 && env->local_rank >= env->local_size)
        return why_fail(DIST_ERR_ENVIRONMENT, why,
                        "%s is %d, but this machine has %d rank%s (%s); they count from 0 on each machine",
                        say->local_rank, env->local_rank, env->local_size, env->local_size > 1 ? "s" : "",
                        say->local_size);
    env->meet_seconds = (int)setting_number("DIST_INIT_TIMEOUT", 60);
    return status == 0 ? setting_check("DIST_INIT_TIMEOUT", why) : status;
}

/* In a step of Slurm others may have started us. srun --mpi=pmi2 has MPICH's words for rank and size, but none for this machine; an mpirun of
 * MPICH has all. And where a step is a shell (srun --pty bash), programs start their ranks themselves. */
static bool env_is_said_by(const struct dialect *say)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    bool torchrun = getenv("TORCHELASTIC_RUN_ID") && getenv("RANK");
    bool shell = getenv("SLURM_PTY_PORT") && tasks && setting_whole_number(tasks) == 1;
    if (say->launcher == LAUNCH_MPICH && !getenv(say->local_rank) && getenv("SLURM_STEP_ID"))
        return false;
    return getenv(say->sign) && !(say->launcher == LAUNCH_SLURM && (torchrun || shell));
}

int launch_read_env(struct launch_env *env, struct why *why)
{
    *env = (struct launch_env){ .launcher = LAUNCH_NONE, .world_size = 1, .local_rank = -1, .local_size = 1 };
    for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++)
        if (env_is_said_by(&dialects[i]))
            return env_read_dialect(&dialects[i], env, why);
    return 0;
}

const char *launch_mpi(const struct launch_env *env)
{
    bool slurm = env->launcher == LAUNCH_SLURM, speaks_pmi = getenv("PMI_FD") || getenv("PMI_PORT");
    if (speaks_pmi && (slurm || env->launcher == LAUNCH_MPICH))
        return "mpich";
    return env->launcher == LAUNCH_OPENMPI || (slurm && getenv("PMIX_NAMESPACE")) ? "openmpi" : NULL;
}

/* ---- for ranks of distrun: is there such a program, and what is its place? ---------------------------------- */

int program_look_at(const char *file)
{
    struct stat status;
    if (stat(file, &status) != 0)
        return PROGRAM_NOT_FOUND;
    return S_ISREG(status.st_mode) && access(file, X_OK) == 0 ? 0 : PROGRAM_NOT_RUNNABLE;
}

int program_look_for(const char *program)
{
    const char *path = getenv("PATH");
    if (strchr(program, '/'))
        return program_look_at(program);
    for (const char *from = path ? path : "/bin:/usr/bin";; from++) { /* as execvp does */
        char file[PATH_MAX];
        int length = (int)strcspn(from, ":");
        snprintf(file, sizeof file, "%.*s%s%s", length, from, length > 0 ? "/" : "./", program);
        if (program_look_at(file) == 0)
            return 0;
        from += length;
        if (*from == '\0')
            return PROGRAM_NOT_FOUND;
    }
}

static bool env_set_number(const char *name, int number)
{
    return setenv(name, words_of("%d", number).text, 1) == 0;
}

/* As torchrun tells it. Ranks need no secret. */
static bool env_set_machines(const struct nodes *nodes)
{
    return setenv("MASTER_ADDR", nodes->host, 1) == 0 && setenv("MASTER_PORT", nodes->port, 1) == 0 &&
           env_set_number("GROUP_RANK", nodes->number) && env_set_number("GROUP_WORLD_SIZE", nodes->count) &&
           unsetenv("DIST_SECRET") == 0;
}

bool program_set_place(const struct job *job, int rank)
{
    int before = world_has_before(&job->world, rank), all = world_has_before(&job->world, job->plan.size);
    return env_set_number("RANK", rank) && env_set_number("LOCAL_RANK", before) &&
           env_set_number("WORLD_SIZE", job->plan.size) && env_set_number("LOCAL_WORLD_SIZE", all) &&
           (!job->plan.nodes || env_set_machines(job->plan.nodes)) &&
           env_set_number("DIST_WORLD_FD", job->world.fd) &&
           env_set_number("TORCHELASTIC_RESTART_COUNT", job->plan.restart);
}
