/* noted.c: what diagnose/log.h keeps, as the calls know it. */
#include "noted.h"
#include "devices/host.h"
#include "diagnose/log.h"

#include <stdlib.h>
#include <string.h>

void noted_open(struct context *context)
{
    const char *buffering = getenv("DIST_BUFFERING");
    if (!buffering || strncmp(buffering, "eager:", 6) != 0)
        return;
    context->log = host_alloc(context->self, sizeof *context->log);
    if (!context->log)
        return;
    atomic_store(&context->log->count, 0);
    struct world *world = &context->self->world;
    atomic_store(&world_notes(world, context->self->env.rank)->log, world_offset(world, context->log));
}

void noted_add(struct context *context, struct dist_work *op)
{
    op->logged =
        log_add(context->log, (struct log_entry){ .kind = op->sends ? LOG_SEND : LOG_RECV,
                                                  .blocks = !op->async,
                                                  .call = (uint8_t)op->call,
                                                  .type = (uint8_t)op->type,
                                                  .group = (uint16_t)op->group->id,
                                                  .size = (uint16_t)op->group->size,
                                                  .site = op->site,
                                                  .peer = op->peer,
                                                  .tag = op->tag,
                                                  .count = op->sends ? op->in.count : op->out.count });
}

void noted_add_source(struct context *context, const struct dist_work *op)
{
    if (op->from >= 0)
        context->log->entries[op->logged - 1].peer = op->from;
}

void noted_wait(struct context *context, const struct dist_work *work)
{
    if (work->logged)
        log_add(context->log, (struct log_entry){ .kind = LOG_WAIT,
                                                  .blocks = 1,
                                                  .call = (uint8_t)work->call,
                                                  .site = work->site,
                                                  .number = work->logged });
}

void noted_collective(struct context *context, struct dist_work *op)
{
    if (context->log)
        op->logged = log_add(context->log, (struct log_entry){ .kind = LOG_COLLECTIVE,
                                                               .blocks = !op->async,
                                                               .call = (uint8_t)op->call,
                                                               .type = (uint8_t)op->type,
                                                               .group = (uint16_t)op->group->id,
                                                               .size = (uint16_t)op->group->size,
                                                               .site = op->site,
                                                               .number = op->group->logged++,
                                                               .count = op->block });
}
