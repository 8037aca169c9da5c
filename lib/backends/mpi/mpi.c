/*
 * mpi.c: BACKEND=mpi: which MPI it is, and how its ranks come to know each other.
 *
 * For each MPI that was found there is a plug-in. Under mpirun it must be that of the same MPI: with another, every rank would be alone in
 * a world of its own. Where our own launcher, or torchrun, has started the ranks on one machine, MPICH takes them for its
 * own (pmi.c); Open MPI does not.
 */
#define _GNU_SOURCE
#include "pmi.h"
#include "../../launch/spread.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct flavour {
    const char *name, *package, *starter;
};
static const struct flavour open_mpi = { "openmpi", "libopenmpi-dev", "mpirun.openmpi" };
static const struct flavour mpich = { "mpich", "libmpich-dev", "mpirun.mpich" };

/* Whose ranks are we? What their launchers set tells. NULL: no MPI's. */
static const struct flavour *launcher_of(void)
{
    static const struct {
        const char *variable;
        const struct flavour *flavour;
    } signs[] = { { "OMPI_COMM_WORLD_SIZE", &open_mpi }, { "PMI_FD", &mpich }, { "PMI_PORT", &mpich } };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i].variable))
            return signs[i].flavour;
    return NULL;
}

static const struct transport *missing(const struct launch_self *self, const struct flavour *wanted,
                                       const char *error, int *status, char *why, size_t why_size)
{
    char unread[200];
    const struct flavour *other = wanted == &mpich ? &open_mpi : &mpich;
    *status = DIST_ERR_ENVIRONMENT;
    if (launcher_of() && transport_load(other->name, unread, sizeof unread))
        snprintf(
            why, why_size,
            "the ranks were started by the mpirun of another MPI than the library was built with; start them "
            "with %s, or install %s and run make again",
            other->starter, wanted->package);
    else if (!launcher_of() && transport_load(other->name, unread, sizeof unread))
        snprintf(why, why_size,
                 "BACKEND is \"mpi\", and Open MPI's ranks are started by its mpirun only: %s -n %d PROGRAM",
                 other->starter, self->env.world_size);
    else
        snprintf(
            why, why_size,
            "BACKEND is \"mpi\", and the library's part for MPI is not there; install %s and run make again "
            "(%.90s)",
            wanted->package, error);
    return NULL;
}

static const struct transport *mpi_find(struct launch_self *self, struct transport_job *job, int *status,
                                        char *why, size_t why_size)
{
    (void)job;
    const struct flavour *started = launcher_of(), *wanted = started ? started : &mpich;
    char error[200] = "";
    const struct transport *transport = transport_load(wanted->name, error, sizeof error);
    if (!transport)
        return missing(self, wanted, error, status, why, why_size);
    if (!started && launch_is_far(&self->env) && !world_is_spread(&self->world)) {
        *status = text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                           "BACKEND is \"mpi\", and over several machines its ranks are started by %s",
                           wanted->starter);
        return NULL;
    }
    if (!started && !pmi_serve(self)) {
        *status = text_why(DIST_ERR_SYSTEM, why, why_size, "the system gives no thread for MPI's start");
        return NULL;
    }
    return transport;
}

static int mpi_open(struct launch_self *self, struct dist_group *world, void **room, char *why,
                    size_t why_size)
{
    if (self->threads)
        return text_why(DIST_ERR_ENVIRONMENT, why, why_size,
                        "BACKEND is \"mpi\", which joins processes, but ranks are threads; unset DIST_RANKS");
    int status = transport_open(mpi_find, self, world, room, why, why_size);
    pmi_end();
    return status;
}

const struct backend backend_mpi = {
    .name = "mpi", .open = mpi_open, TRANSPORT_COLLECTIVES, TRANSPORT_CALLS
};
