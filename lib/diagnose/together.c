/*
 * together.c: two collectives that were meant to be one, and are not: one in the world and one in a group, or two of one group; and one
 * of a group that a member has freed.
 */
#include "diagnose.h"

/* Do two of the cycle make one collective, but one in the world and one in a group? */
static bool together_tell_two_groups(struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length && how_many(d, NOTE_COLLECTIVE) == d->cycle_length; i++) {
        int next = (i + 1) % d->cycle_length, ranks[] = { d->cycle[i], d->cycle[next] };
        const struct note_op *links[] = { link_of(d, i), link_of(d, next) };
        int far = links[0]->group == 0; /* which of the two is in the group */
        const struct note_op *in = links[far], *out = links[!far];
        bool by_messages = in->kind != NOTE_COLLECTIVE || out->kind != NOTE_COLLECTIVE;
        if (in->group == 0 || out->group != 0 || in->call != out->call ||
            (!by_messages && (in->type != out->type || in->count != out->count)))
            continue;
        d->error = DIST_ERR_MISMATCH;
        why_add(&d->sentence, "rank %d calls %s in group %d (%s), rank %d in the world (%s)", ranks[far],
                call_name(in->call), in->group, place_of(d, ranks[far], in->site).text, ranks[!far],
                place_of(d, ranks[!far], out->site).text);
        advise(d, LESSON_TWO_GROUPS,
               "give both calls the same group; or, if all make both calls, in the same order");
        return true;
    }
    return false;
}

/* Has it begun that collective, too? It is not through with it: no member of a collective gets past one that has not come. */
static bool together_has_begun(const struct view *view, const struct note_op *collective)
{
    for (int i = 0; i < view->count; i++)
        if (in_collective(&view->open[i]) && view->open[i].group == collective->group &&
            view->open[i].call == collective->call)
            return true;
    return false;
}

static bool together_is_earlier(const struct note_op *a, const struct note_op *b)
{
    return a->kind == NOTE_COLLECTIVE ? a->seq < b->seq : a->tag > b->tag;
}

/* The first collective of a group that `one` has begun and `other` has not, of those that are made of messages, or are not. NULL: none. */
static const struct note_op *together_first_alone(const struct view *one, const struct view *other,
                                                  uint16_t group, bool messages)
{
    const struct note_op *first = NULL;
    for (int i = 0; i < one->count; i++) {
        const struct note_op *op = &one->open[i];
        if (in_collective(op) && op->group == group && (op->kind != NOTE_COLLECTIVE) == messages &&
            !together_has_begun(other, op) && (!first || together_is_earlier(op, first)))
            first = op;
    }
    return first;
}

/* What it has begun instead: of the kind in which it waits; or, where it waits somewhere else by now, of any. */
static const struct note_op *together_instead(const struct view *other, const struct view *one,
                                              uint16_t group, const struct note_op *link)
{
    bool same = in_collective(link) && link->group == group;
    const struct note_op *first =
        together_first_alone(other, one, group, !same || link->kind != NOTE_COLLECTIVE);
    return first || same ? first : together_first_alone(other, one, group, false);
}

/* Does one of the cycle wait in a collective for another that has begun a different one of that group? Where one is made of messages
 * and the other is not they never meet, and no backend tells. */
static bool together_tell_two_calls(struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length; i++) {
        int next = (i + 1) % d->cycle_length, one = d->cycle[i], other = d->cycle[next];
        const struct note_op *a = link_of(d, i), *b = link_of(d, next);
        if (!in_collective(a))
            continue;
        b = together_instead(&d->views[other], &d->views[one], a->group, b);
        a = together_first_alone(&d->views[one], &d->views[other], a->group, a->kind != NOTE_COLLECTIVE);
        if (!a || !b)
            continue;
        d->error = DIST_ERR_MISMATCH;
        why_add(&d->sentence, "rank %d calls %s (%s), rank %d calls %s (%s)", one, call_name(a->call),
                place_of(d, one, a->site).text, other, call_name(b->call), place_of(d, other, b->site).text);
        advise(d, LESSON_NOT_ALL, "let all members of a group make the same calls, in the same order");
        return true;
    }
    return false;
}

bool tell_two_collectives(struct diagnosis *d)
{
    return together_tell_two_groups(d) || together_tell_two_calls(d);
}

/* ---- a freed group ------------------------------------------------------------------------------- */

static bool together_has_freed(const struct world *world, int rank, uint16_t group)
{
    const struct freed_note *freed = &world_notes(world, rank)->freed;
    uint32_t count = atomic_load(&freed->count);
    for (uint32_t i = 0; i < count && i < NOTE_FREED; i++)
        if (freed->groups[i] == group)
            return true;
    return false;
}

/* (A number comes back after 65535 others: that of a group freed lately is of no other.) */
const struct note_op *freed_by_a_member(const struct diagnosis *d)
{
    for (int i = 0; i < d->cycle_length; i++) {
        const struct note_op *op = link_of(d, i);
        for (int rank = 0; rank < d->size && in_collective(op) && op->group != 0; rank++)
            if (together_has_freed(d->world, rank, op->group))
                return op;
    }
    return NULL;
}
