/*
 * gloo.c: BACKEND=gloo: TCP between processes, by Gloo, which PyTorch uses where there are no GPUs.
 *
 * Gloo's ranks find each other by bootstrap memory in the world. Over several machines the watchers see to it that this is the
 * same on all: those of distrun --nodes, or, under another launcher, those that meet here first.
 */
#include "../transport/state.h"
#include "../../dist.h"
#include "../../launch/nodes.h"
#include "../../launch/spread.h"

static const struct transport *gloo_find(struct launch_self *self, int *status, struct why *why)
{
    (void)self;
    struct why error;
    const struct transport *transport = transport_load("gloo", &error);
    if (!transport)
        *status = why_fail(
            DIST_ERR_ENVIRONMENT, why,
            "BACKEND is \"gloo\", and the library's part for Gloo is not there; install libgloo-dev and g++ "
            "and run make again (%.200s)",
            error.text);
    return transport;
}

static int gloo_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    int status = DIST_OK;
    if (launch_is_far(&self->env) && !world_is_spread(&self->world))
        status = bootstrap_join_machines(self, DIST_VERSION, why);
    return status == DIST_OK ? transport_open("gloo", gloo_find, self, world, state, why) : status;
}

const struct backend backend_gloo = { .name = "gloo", .open = gloo_open, TRANSPORT_CALLS };
