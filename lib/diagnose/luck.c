/* luck.c: the warning that a run ended well only because its messages were short: who would have waited for whom. */
#include "replay.h"

static uint32_t luck_waited_entry(const struct replay *replay, int rank)
{
    const struct log_entry *e = entry_of(replay, rank, replay->at[rank]);
    return e->kind == LOG_WAIT ? e->number - 1 : replay->at[rank];
}

static bool luck_edge(const struct diagnosis *d, int rank, int peer)
{
    const struct replay *replay = d->replay;
    uint32_t entry = luck_waited_entry(replay, rank);
    const struct log_entry *e = entry_of(replay, rank, entry);
    if (e->kind != LOG_COLLECTIVE)
        return e->peer == peer;
    for (size_t i = replay->partner[rank][entry]; i < replay->key_count; i++) {
        const struct key *key = &replay->keys[i];
        if (!key_same(key, &replay->keys[replay->partner[rank][entry]]))
            break;
        if ((int)key->rank == peer)
            return key->entry > replay->at[peer];
    }
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

static void luck_view_of(const struct replay *replay, int rank, struct view *view)
{
    bool ended = replay->at[rank] == replay->counts[rank];
    if (!ended)
        replay_view(entry_of(replay, rank, luck_waited_entry(replay, rank)), view);
    else
        view->state = replay->counts[rank] < LOG_ROOM ? RANK_LEFT : RANK_JOINED;
}

void luck_tell(const struct world *world, const struct replay *replay)
{
    struct diagnosis d = { .world = world, .size = replay->size, .edge = luck_edge, .replay = replay };
    bool open = diagnosis_open(&d);
    for (int rank = 0; open && rank < d.size; rank++)
        luck_view_of(replay, rank, &d.views[rank]);
    if (open)
        find_cycle(&d);
    if (d.cycle_length > 0) {
        explain_luck(&d);
        report_text(&d);
    }
    diagnosis_close(&d);
}
