/*
 * match.c: slips find each other, as the ops of backends/cuda do: a send looks among the receives of its destination, a receive
 * among the messages that have come for it, each in the order in which they were shown; a collective is met by its number
 * in the group.
 */
#include "desk.h"

/* ---- agreeing --------------------------------------------------------------------------- */

void desk_agree(struct nccl_room *room, uint32_t number)
{
    struct desk *desk = room->desk;
    int rank = slip_at(desk, number)->rank;
    pile_add(desk, &desk->trays[rank].agreed, number);
    atomic_fetch_add(&desk->trays[rank].agreed_count, 1);
    rank_ring(&room->self->world.header->slots[rank]);
}

uint32_t desk_take(struct nccl_room *room, struct slip *slip)
{
    struct desk *desk = room->desk;
    struct tray *tray = &desk->trays[room->rank];
    if (atomic_load(&tray->agreed_count) == 0)
        return 0;
    desk_lock(desk);
    uint32_t number = tray->agreed.first;
    *slip = *slip_at(desk, number);
    pile_remove(desk, &tray->agreed, number);
    atomic_fetch_sub(&tray->agreed_count, 1);
    if (!slip->card.host &&
        !slip->stray) /* what differs ends the job nearly always: its slips stay to be read */
        slip_free(desk, number);
    desk_unlock(desk);
    return number;
}

/* ---- messages ----------------------------------------------------------------------------- */

static bool fits(const struct slip *send, const struct slip *recv)
{
    return (recv->peer == DIST_ANY_SOURCE || recv->peer == send->rank) &&
           recv->card.root == send->card.root && recv->card.group == send->card.group;
}

/* Both are told; but of a message from host to host the sender only when the receiver has copied it. */
static void deliver(struct nccl_room *room, uint32_t a, uint32_t b)
{
    struct slip *send = slip_at(room->desk, a), *recv = slip_at(room->desk, b);
    recv->peer = send->rank;
    send->mate = b;
    recv->mate = a;
    if (send->card.type != recv->card.type || send->card.count != recv->card.count ||
        send->card.host != recv->card.host) {
        send->first = recv->first = a;
        send->stray = recv->stray = b;
    }
    if (!send->card.host || send->stray)
        desk_agree(room, a);
    desk_agree(room, b);
}

static void match_send(struct nccl_room *room, uint32_t number)
{
    struct desk *desk = room->desk;
    const struct slip *send = slip_at(desk, number);
    struct tray *tray = &desk->trays[send->peer];
    for (uint32_t at = tray->recvs.first; at; at = slip_at(desk, at)->next)
        if (fits(send, slip_at(desk, at))) {
            pile_remove(desk, &tray->recvs, at);
            deliver(room, number, at);
            return;
        }
    pile_add(desk, &tray->letters, number);
}

static void match_recv(struct nccl_room *room, uint32_t number)
{
    struct desk *desk = room->desk;
    struct tray *tray = &desk->trays[room->rank];
    for (uint32_t at = tray->letters.first; at; at = slip_at(desk, at)->next)
        if (fits(slip_at(desk, at), slip_at(desk, number))) {
            pile_remove(desk, &tray->letters, at);
            deliver(room, at, number);
            return;
        }
    pile_add(desk, &tray->recvs, number);
}

/* ---- collectives ----------------------------------------------------------------------------- */

/* All have come: the one with the lowest place that differs from place 0. */
static void compare(struct desk *desk, uint32_t head)
{
    uint32_t first = head, stray = 0;
    for (uint32_t at = head; at; at = slip_at(desk, at)->mate)
        if (slip_at(desk, at)->place == 0)
            first = at;
    for (uint32_t at = head; at; at = slip_at(desk, at)->mate)
        if (cards_differ(&slip_at(desk, first)->card, &slip_at(desk, at)->card) &&
            (!stray || slip_at(desk, at)->place < slip_at(desk, stray)->place))
            stray = at;
    for (uint32_t at = head; stray && at; at = slip_at(desk, at)->mate) {
        slip_at(desk, at)->first = first;
        slip_at(desk, at)->stray = stray;
    }
}

static uint32_t find_meeting(struct desk *desk, const struct slip *slip)
{
    uint32_t at = desk->meetings.first;
    while (at && (slip_at(desk, at)->card.group != slip->card.group || slip_at(desk, at)->seq != slip->seq))
        at = slip_at(desk, at)->next;
    return at;
}

static void meet(struct nccl_room *room, uint32_t number)
{
    struct desk *desk = room->desk;
    struct slip *slip = slip_at(desk, number);
    uint32_t head = find_meeting(desk, slip), last = head;
    int came = 1;
    if (!head)
        pile_add(desk, &desk->meetings, head = number);
    for (uint32_t at = last; at; at = slip_at(desk, at)->mate) {
        came += !slip_at(desk, at)->left;
        last = at;
    }
    if (last)
        slip_at(desk, last)->mate = number;
    slip->head = head;
    if (came < slip->size)
        return;
    pile_remove(desk, &desk->meetings, head);
    compare(desk, head);
    for (uint32_t at = head, next; at; at = next) {
        next = slip_at(desk, at)->mate;
        desk_agree(room, at);
    }
}

/* ---- showing ------------------------------------------------------------------------------------ */

static void fill(struct nccl_room *room, struct slip *slip, struct dist_work *op)
{
    const struct world *world = &room->self->world;
    slip->card = card_of(op);
    slip->op = (uint64_t)(uintptr_t)op;
    slip->in = world_offset(world, op->in.data);
    slip->out = world_offset(world, op->out.data);
    slip->peer = op->peer;
    slip->site = op->site;
    slip->place = (int16_t)op->group->rank;
    slip->size = (int16_t)op->group->size;
    if (!op->p2p)
        slip->seq = op->phase = ++((struct nccl_group *)op->group->room)->seq;
}

bool desk_show(struct nccl_room *room, struct dist_work *op)
{
    desk_lock(room->desk);
    uint32_t number = slip_new(room->desk, room->rank);
    if (number) {
        fill(room, slip_at(room->desk, number), op);
        if (!op->p2p)
            meet(room, number);
        else if (op->sends)
            match_send(room, number);
        else
            match_recv(room, number);
    }
    desk_unlock(room->desk);
    return number != 0;
}
