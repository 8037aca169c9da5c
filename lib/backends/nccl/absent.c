/* absent.c: stands in for the backend where there was no nccl.h to build it with: says what is missing. */
#include "../../backend.h"

static int absent_open(struct launch_self *self, struct dist_group *world, void **state, struct why *why)
{
    (void)self, (void)world, (void)state;
    return why_fail(
        DIST_ERR_ENVIRONMENT, why,
        "BACKEND is \"nccl\", but this library was built without NCCL, since nccl.h was not found; "
        "install NCCL (libnccl-dev) or name its folder with NCCL_HOME and run make again, or take "
        "BACKEND=cuda");
}

const struct backend backend_nccl = { .name = "nccl", .on_streams = true, .open = absent_open };
