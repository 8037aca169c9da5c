/* match_table.c: sends, receives and collectives that wait for their other side, in memory that all ranks see. */
#include "agree.h"
#include "../common/notes.h"

/* ---- lists ------------------------------------------------------------------------------------ */

void table_add(struct nccl_shared *table, struct table_list *list, uint32_t number)
{
    table_at(table, number)->next = 0;
    *(list->first ? &table_at(table, list->last)->next : &list->first) = number;
    list->last = number;
}

void table_remove(struct nccl_shared *table, struct table_list *list, uint32_t number)
{
    uint32_t before = 0, *at = &list->first;
    for (; *at && *at != number; at = &table_at(table, before)->next)
        before = *at;
    if (*at && list->last == number)
        list->last = before;
    if (*at)
        *at = table_at(table, number)->next;
}

void table_free(struct nccl_shared *table, uint32_t number)
{
    table_at(table, number)->open = false;
    table_add(table, &table->ranks[table_at(table, number)->rank].free, number);
}

uint32_t table_show(struct nccl_shared *table, int rank, const struct dist_work *op, uint32_t seq)
{
    struct table_rank *own = &table->ranks[rank];
    uint32_t number = own->free.first;
    if (number)
        table_remove(table, &own->free, number);
    else if (own->used < table->most)
        number = table_first_of(table, rank) + own->used++;
    if (number)
        *table_at(table, number) = (struct table_entry){ .claim = claim_of(op),
                                                         .op = (uint64_t)(uintptr_t)op,
                                                         .rank = rank,
                                                         .peer = op->peer,
                                                         .place = (int16_t)op->group->rank,
                                                         .size = (int16_t)op->group->size,
                                                         .group = op->group->number,
                                                         .seq = seq,
                                                         .site = op->site,
                                                         .open = true };
    return number;
}

/* ---- messages --------------------------------------------------------------------------------- */

static bool table_fits(const struct table_entry *send, const struct table_entry *recv)
{
    return (recv->peer == DIST_ANY_SOURCE || recv->peer == send->rank) &&
           recv->claim.root == send->claim.root && recv->claim.group == send->claim.group;
}

static uint32_t table_meet_message(struct nccl_shared *table, uint32_t number)
{
    struct table_entry *mine = table_at(table, number);
    bool sends = mine->claim.side == SIDE_SENDS;
    struct table_rank *receiver = &table->ranks[sends ? mine->peer : mine->rank];
    struct table_list *look = sends ? &receiver->posted : &receiver->unexpected;
    for (uint32_t at = look->first; at; at = table_at(table, at)->next) {
        struct table_entry *other = table_at(table, at), *send = sends ? mine : other;
        struct table_entry *recv = sends ? other : mine;
        if (!table_fits(send, recv))
            continue;
        table_remove(table, look, at);
        mine->open = other->open = false;
        mine->mate = at;
        other->mate = number;
        recv->peer = send->rank;
        return at;
    }
    table_add(table, sends ? &receiver->unexpected : &receiver->posted, number);
    return 0;
}

/* ---- collectives ------------------------------------------------------------------------------ */

/* All have come: the one with the lowest place that differs from place 0. */
static void table_compare(struct nccl_shared *table, uint32_t head)
{
    uint32_t first = head, differing = 0;
    for (uint32_t at = head; at; at = table_at(table, at)->mate) {
        table_at(table, at)->open = false;
        if (table_at(table, at)->place == 0)
            first = at;
    }
    for (uint32_t at = head; at; at = table_at(table, at)->mate)
        if (claims_differ(&table_at(table, first)->claim, &table_at(table, at)->claim) &&
            (!differing || table_at(table, at)->place < table_at(table, differing)->place))
            differing = at;
    for (uint32_t at = head; differing && at; at = table_at(table, at)->mate) {
        table_at(table, at)->first = first;
        table_at(table, at)->differing = differing;
    }
}

static uint32_t table_find_meeting(struct nccl_shared *table, int group, uint32_t seq)
{
    uint32_t at = table->meetings.first;
    while (at && (table_at(table, at)->group != group || table_at(table, at)->seq != seq))
        at = table_at(table, at)->next;
    return at;
}

static uint32_t table_meet_members(struct nccl_shared *table, uint32_t number)
{
    struct table_entry *mine = table_at(table, number);
    uint32_t head = table_find_meeting(table, mine->group, mine->seq), last = head;
    int came = 1;
    if (!head)
        table_add(table, &table->meetings, head = number);
    for (uint32_t at = last; at; at = table_at(table, at)->mate) {
        came += !table_at(table, at)->left;
        mine->late |= table_at(table, at)->left;
        last = at;
    }
    if (last)
        table_at(table, last)->mate = number;
    mine->head = head;
    if (came < mine->size)
        return 0;
    table_remove(table, &table->meetings, head);
    table_compare(table, head);
    return head;
}

uint32_t table_meet(struct nccl_shared *table, uint32_t number)
{
    return table_at(table, number)->claim.side == SIDE_MEMBER ? table_meet_members(table, number)
                                                              : table_meet_message(table, number);
}

bool table_has_come(struct nccl_shared *table, const struct dist_work *op, int place)
{
    uint32_t at = table_find_meeting(table, op->group->number, op->phase);
    while (at && table_at(table, at)->place != place)
        at = table_at(table, at)->mate;
    return at && !table_at(table, at)->late;
}

void table_absent(struct nccl_shared *table, const struct dist_work *op, struct absent *absent)
{
    for (int place = 0; place < op->group->size; place++)
        if (!table_has_come(table, op, place))
            absent_add(absent, op->group->ranks[place]);
}

/* ---- giving up -------------------------------------------------------------------------------- */

static void table_drop(struct nccl_shared *table, uint32_t number)
{
    struct table_entry *entry = table_at(table, number);
    bool sends = entry->claim.side == SIDE_SENDS;
    entry->open = false;
    if (entry->claim.side == SIDE_MEMBER) {
        entry->left = true; /* it stays with those of the other members: they know that its rank had come */
        return;
    }
    struct table_rank *receiver = &table->ranks[sends ? entry->peer : entry->rank];
    table_remove(table, sends ? &receiver->unexpected : &receiver->posted, number);
    table_free(table, number);
}

void table_withdraw(struct nccl_shared *table, int rank, const struct dist_work *op)
{
    uint32_t first = table_first_of(table, rank);
    for (uint32_t at = first; at < first + table->ranks[rank].used; at++)
        if (table_at(table, at)->open && (!op || table_op(table_at(table, at)) == op))
            table_drop(table, at);
}

void table_note(struct nccl_shared *table, int rank, struct rank_notes *notes)
{
    for (uint32_t at = table->ranks[rank].unexpected.first; at && !notes_full(notes);
         at = table_at(table, at)->next) {
        const struct table_entry *entry = table_at(table, at);
        notes_add_claim(notes, &entry->claim, entry->rank, entry->site);
    }
}
