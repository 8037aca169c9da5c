/* thread.c: the progress thread: it drives what is open while the program computes (progress.c). */
#define _GNU_SOURCE
#include "answers.h"

/* While answers wait for a note, ns. A wake costs the program 20 us: so the longer it has talked in turns, the longer the nap. */
#define ANSWER_NAP 500000
#define ANSWER_NAP_MOST 4000000
#define ANSWER_SOON 100000 /* it may have gone to compute, and another rank waits */

/* With drivers it has nothing to do. Peers need to ring it only where it says so; what came before it did, it sees itself. */
static bool thread_drive_for_program(struct transport_room *room)
{
    bool works = room->drivers == 0 && transport_is_open(room);
    atomic_store(&room->ranks[room->rank].listens, works);
    return works && transport_drive(room, NULL);
}

/* What comes from another machine nobody rings for. */
static bool thread_hears(void *argument)
{
    struct transport_room *room = argument;
    if (pthread_mutex_trylock(&room->lock) != 0) /* whoever holds it drives */
        return true;
    bool over = room->progress_stops || room->drivers > 0 || transport_flies(room),
         moved = !over && thread_drive_for_program(room);
    room_unlock(room);
    if (moved)
        bell_ring(&room->slot->bell);
    return over || moved;
}

/* Until it is struck: who has seen `seen` changed has left nothing that could be missed. Strikers wake only whom they find counted. */
static void thread_rest(struct bell *bell, uint32_t seen, int64_t nanoseconds, struct sleep_note *note)
{
    atomic_fetch_add(&bell->sleepers, 1);
    bell_doze(bell, seen, nanoseconds, note);
    atomic_fetch_sub(&bell->sleepers, 1);
}

struct watch {
    uint32_t seen; /* answers, at the last look */
    int64_t nap;
    bool is_long; /* until the next look */
};

/* Answers that wait for a note to travel with: who has seen none come since the last look sends them. ns until the next look; 0: none. */
static int64_t thread_watch_answers(struct transport_room *room, struct watch *watch)
{
    bool fresh = room->answers.ever != watch->seen, struck = watch->is_long && !room->progress_naps_long;
    int64_t longer = watch->nap + watch->nap / 8;
    watch->seen = room->answers.ever;
    watch->nap = !fresh || struck ? ANSWER_NAP : longer < ANSWER_NAP_MOST ? longer : ANSWER_NAP_MOST;
    watch->is_long = room->progress_naps_long = fresh && room->drivers > 0 && watch->nap > LONG_NAP;
    if (room->drivers > 0)
        return fresh ? watch->nap : 0;
    if (!fresh)
        answers_pay(room);
    wire_reap(room);
    return fresh && answers_wait_for_turn(room) ? ANSWER_SOON
           : fresh || transport_flies(room)     ? ANSWER_NAP
                                                : 0;
}

/* Whoever holds the lock drives. To wait for it would cost that thread a system call at each of its looks. */
static void thread_come_in(struct transport_room *room, struct bell *bell, int64_t nap)
{
    uint32_t seen = atomic_load(&bell->rings);
    while (pthread_mutex_trylock(&room->lock) != 0) {
        thread_rest(bell, seen, nap, NULL);
        uint32_t now = atomic_load(&bell->rings);
        nap = now != seen ? SHORT_NAP : nap < ANSWER_NAP ? 2 * nap : nap; /* struck: it is needed soon */
        seen = now;
    }
}

static void thread_main(void *argument)
{
    struct transport_room *room = argument;
    struct bell *bell = &room->slot->helper;
    int64_t nap = SHORT_NAP;
    struct watch watch = { .nap = ANSWER_NAP };
    thread_come_in(room, bell, SHORT_NAP);
    while (!room->progress_stops) {
        uint32_t seen = atomic_load(&bell->rings);
        bool moved = thread_drive_for_program(room);
        int64_t watches = thread_watch_answers(room, &watch);
        bool naps = watches || (room->drivers == 0 && transport_is_open(room) && transport_moves(room));
        bool listens = naps && room->spread && !watches && !room->transport->wakes;
        room->progress_sleeps = !naps && !moved;
        if (!moved)
            transport_count_heard(room);
        nap = moved ? SHORT_NAP : transport_nap(room, nap);
        room_unlock(room);
        if (moved)
            bell_ring(&room->slot->bell);
        else if (listens)
            bell_listen(bell, thread_hears, room, NAP, &room->notes->helper_sleep);
        else if (naps)
            thread_rest(bell, seen, watches ? watches : nap, NULL);
        else
            thread_rest(bell, seen, NAP * 1000000, &room->notes->helper_sleep);
        thread_come_in(room, bell, watches ? watch.nap : SHORT_NAP);
    }
    room_unlock(room);
}

bool transport_thread_start(struct transport_room *room)
{
    return worker_start_progress(&room->progress, room->self, thread_main, room);
}

void transport_thread_stop(struct transport_room *room)
{
    if (!room->progress.runs)
        return;
    room_lock(room);
    room->progress_stops = true;
    room_unlock(room);
    bell_strike(&room->slot->helper);
    worker_join(&room->progress);
}
