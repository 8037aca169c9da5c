/* luck.c: the warning that a run ended well only because its messages were short: who would have waited for whom. */
#include "replay.h"

static bool luck_edge(const struct diagnosis *d, int rank, int peer)
{
    const struct replay *replay = d->replay;
    uint32_t entry = entry_begun(replay, rank, replay->ranks[rank].at);
    const struct log_entry *e = entry_of(replay, rank, entry);
    if (e->kind != LOG_COLLECTIVE)
        return e->peer == peer;
    const struct half *own = &replay->halves[partner_of(replay, rank, entry)];
    const struct half *end = replay->halves + replay->half_count;
    for (const struct half *half = own; half < end && half_same_channel(half, own); half++)
        if (half->rank == peer)
            return half->entry > replay->ranks[peer].at;
    return false;
}

void replay_view(const struct log_entry *e, struct view *view)
{
    view->state = RANK_JOINED;
    view->count = 1;
    view->call = (uint32_t)e->call << 16 | e->site;
    view->open[0] = (struct note_op){ .kind = e->kind == LOG_SEND   ? NOTE_SEND
                                              : e->kind == LOG_RECV ? NOTE_RECV
                                                                    : NOTE_COLLECTIVE,
                                      .type = e->type,
                                      .call = e->call,
                                      .group = e->group,
                                      .size = e->size,
                                      .site = e->site,
                                      .peer = e->any ? DIST_ANY_SOURCE : e->peer,
                                      .tag = e->tag,
                                      .count = e->count };
}

void luck_tell(const struct world *world, const struct replay *replay)
{
    struct diagnosis d;
    if (diagnosis_open(&d, world)) {
        d.edge = luck_edge;
        d.replay = replay;
        for (int rank = 0; rank < d.size; rank++) {
            const struct replayed *list = &replay->ranks[rank];
            if (list->at < list->count)
                replay_view(entry_of(replay, rank, entry_begun(replay, rank, list->at)), &d.views[rank]);
            else
                d.views[rank].state = list->count < LOG_ROOM ? RANK_LEFT : RANK_JOINED;
        }
        find_cycle(&d);
        if (d.cycle_length > 0) {
            explain_luck(&d);
            report_text(&d);
        }
    }
    diagnosis_close(&d);
}
