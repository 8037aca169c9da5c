/* rest.c: how a thread of the rank sleeps that waits for something (progress.c). */
#define _GNU_SOURCE
#include "answers.h"

/* Bytes are under way: whoever sleeps must nap, and look. */
bool transport_bytes_move(const struct transport_room *room)
{
    return transport_flies(room) || (!room->spread && transport_moves(room));
}

/* The nap after this one. Where the transport wakes a sleeper each look in between would only be in the way of its threads. */
int64_t transport_nap(const struct transport_room *room, int64_t nap)
{
    return room->transport->wakes ? LONG_NAP : nap < LONG_NAP ? nap + nap / 4 : nap;
}

struct rest {
    struct transport_room *room;
    bool (*news)(void *);
    void *argument;
};

/* There is news, or another thread has sent bytes on their way before it could see the sleeper. */
static bool rest_ends(void *argument)
{
    const struct rest *rest = argument;
    if (rest->news(rest->argument))
        return true;
    room_lock(rest->room);
    bool moves = transport_bytes_move(rest->room);
    room_unlock(rest->room);
    return moves;
}

void transport_sleep(struct transport_room *room, const struct dist_work *op, bool (*news)(void *),
                     void *argument)
{
    struct rest rest = { room, news, argument };
    room_lock(room);
    wire_reap(room);
    bool moves = transport_bytes_move(room);
    if (!moves) {
        transport_notes_write(room, op);
        transport_count_heard(room);
        room->rests = true;
    }
    room->nap = !moves ? SHORT_NAP : transport_nap(room, room->nap);
    int64_t nap = room->nap;
    room_unlock(room);
    if (!moves && room->spread && !room->transport->wakes) {
        launch_listen(room->self, &room->slot->bell, rest_ends, &rest, NAP);
        return;
    }
    if (!moves) {
        launch_sleep(room->self, &room->slot->bell, rest_ends, &rest, NAP, false);
        return;
    }
    bell_sleep_for(&room->slot->bell, news, argument, nap, NULL);
    if (dist_time() > room->looked + NAP / 1e3) {
        room->looked = dist_time();
        launch_look_around(room->self);
    }
}
