/*
 * mpi.c: BACKEND=mpi: which MPI it is, and how its ranks come to know each other.
 *
 * For each MPI that was found there is a plug-in. Under mpirun it must be that of the same MPI: with another, every rank would be alone in
 * a world of its own. srun starts ranks of either: MPICH's with --mpi=pmi2, Open MPI's with --mpi=pmix. Where our own launcher, torchrun
 * or a plain srun has started the ranks on one machine, MPICH takes them for its own (pmi.c); Open MPI does not.
 */
#include "pmi.h"
#include "../../launch/spread.h"

#include <string.h>

struct flavour {
    const char *name, *package, *starter, *slurm;
};
static const struct flavour open_mpi = { "openmpi", "libopenmpi-dev", "mpirun.openmpi", "srun --mpi=pmix" };
static const struct flavour mpich = { "mpich", "libmpich-dev", "mpirun.mpich", "srun --mpi=pmi2" };

/* Whose ranks are we? NULL: no MPI's. */
static const struct flavour *mpi_launcher_of(const struct launch_env *env)
{
    const char *name = launch_mpi(env);
    return !name ? NULL : strcmp(name, mpich.name) == 0 ? &mpich : &open_mpi;
}

static const char *mpi_starter_of(const struct flavour *flavour, const struct launch_env *env)
{
    return env->launcher == LAUNCH_SLURM ? flavour->slurm : flavour->starter;
}

static const struct transport *mpi_missing(const struct launch_self *self, const struct flavour *wanted,
                                           const struct why *error, int *status, struct why *why)
{
    struct why unread;
    const struct flavour *other = wanted == &mpich ? &open_mpi : &mpich;
    const char *starter = mpi_starter_of(other, &self->env);
    *status = DIST_ERR_ENVIRONMENT;
    if (mpi_launcher_of(&self->env) && transport_load(other->name, &unread))
        why_say(why,
                "the ranks were started as those of another MPI than the library was built with; start them "
                "with %s, or install %s and run make again",
                starter, wanted->package);
    else if (!mpi_launcher_of(&self->env) && transport_load(other->name, &unread))
        why_say(why, "BACKEND is \"mpi\", and Open MPI knows only ranks started as its own: %s -n %d PROGRAM",
                starter, self->env.world_size);
    else
        why_say(
            why,
            "BACKEND is \"mpi\", and the library's part for MPI is not there; install %s and run make again "
            "(%.200s)",
            wanted->package, error->text);
    return NULL;
}

static const struct transport *mpi_find(struct launch_self *self, int *status, struct why *why)
{
    const struct flavour *started = mpi_launcher_of(&self->env), *wanted = started ? started : &mpich;
    struct why error;
    const struct transport *transport = transport_load(wanted->name, &error);
    if (!transport && started == &open_mpi && self->env.launcher == LAUNCH_SLURM &&
        !launch_is_far(&self->env)) { /* it may be srun's habit to speak so: these ranks need it not */
        started = NULL;
        wanted = &mpich;
        transport = transport_load(wanted->name, &error);
    }
    if (!transport)
        return mpi_missing(self, wanted, &error, status, why);
    if (!started && launch_is_far(&self->env) && !world_is_spread(&self->world)) {
        *status = why_fail(DIST_ERR_ENVIRONMENT, why,
                           "BACKEND is \"mpi\", and over several machines its ranks are started by %s",
                           mpi_starter_of(wanted, &self->env));
        return NULL;
    }
    if (!started && !pmi_serve(self)) {
        *status = why_fail(DIST_ERR_SYSTEM, why, "the system gives no thread for MPI's start");
        return NULL;
    }
    return transport;
}

static int mpi_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    int status = transport_open("mpi", mpi_find, self, world, state, why);
    pmi_end();
    return status;
}

const struct backend backend_mpi = { .name = "mpi", .open = mpi_open, TRANSPORT_CALLS };
