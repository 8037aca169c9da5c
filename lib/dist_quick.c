/*
 * dist_quick.c: dist_send and dist_recv. A small message is over in less than 0.1 us, so every nanosecond of the call counts:
 * first the backend's quick way, in as few instructions as the checks can be made in; all that makes words out of what is wrong,
 * and ops out of what is asked, is in dist_p2p.c.
 */
#include "p2p.h"

/* What was asked waits in memory until the quick way has said whether it is needed: in registers it would have to be saved and
 * brought back around that call, on the way of every message. */
static inline void quick_put_down(struct p2p *ask, const char *file, int line, tensor *tensor, int peer,
                                  int tag, dist_group *group)
{
    ask->at.file = file;
    ask->at.line = line;
    ask->tensor = tensor;
    ask->peer = peer;
    ask->tag = tag;
    ask->group = group;
    __asm__("" : "+m"(*ask));
}

int dist_send_from(const char *file, int line, tensor *tensor, int dst, int tag, dist_group *group)
{
    uint32_t site;
    struct p2p ask;
    quick_put_down(&ask, file, line, tensor, dst, tag, group);
    struct context *context = context_quick(CALL_SEND, file, line, group, &site);
    enum quick went = QUICK_NOT;
    if (context && context_reaches(context, tensor) && dst < context->world.size && (dst | tag) >= 0)
        went = context->backend->quick_send(context->room, tensor, dst, tag, site);
    return went == QUICK_DONE ? 0 : p2p_blocking(&ask, CALL_SEND, went == QUICK_BEGUN);
}

int dist_recv_from(const char *file, int line, tensor *tensor, int src, int tag, dist_group *group)
{
    uint32_t site;
    struct p2p ask;
    quick_put_down(&ask, file, line, tensor, src, tag, group);
    struct context *context = context_quick(CALL_RECV, file, line, group, &site);
    enum quick went = QUICK_NOT;
    if (context && context_reaches(context, tensor) && src < context->world.size && (src | tag) >= 0)
        went = context->backend->quick_recv(context->room, tensor, src, tag, site);
    return went == QUICK_DONE ? ask.peer : p2p_blocking(&ask, CALL_RECV, went == QUICK_BEGUN);
}
