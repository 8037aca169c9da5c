#define _GNU_SOURCE
#include "job.h"
int launch_meet(const struct launch_env *env, struct world *world, char *why, size_t why_size){(void)env;(void)why;(void)why_size;return world_create(world,1);}
