/* thread.c: the progress thread: it drives what is open while the program computes (progress.c). */
#include "state.h"

/* While answers wait for a note, ns. A wake costs the program 20 us: so the longer it has talked in turns, the longer the nap. */
#define ANSWER_NAP 500000
#define ANSWER_NAP_MOST 4000000
#define ANSWER_SOON 100000 /* it may have gone to compute, and another rank waits */

/* With drivers it has nothing to do. Peers need to notify it only where it says so; what came before it did, it sees itself. */
static bool thread_drive_for_program(struct transport_state *state)
{
    bool works = state->drivers == 0 && transport_is_open(state);
    atomic_store(&state->ranks[state->rank].listens, works);
    return works && transport_drive(state, NULL);
}

/* What comes from another machine nobody notifies of. */
static bool thread_hears(void *argument)
{
    struct transport_state *state = argument;
    if (pthread_mutex_trylock(&state->lock) != 0) /* whoever holds it drives */
        return true;
    bool over = state->progress_stops || state->drivers > 0 || transport_flies(state),
         moved = !over && thread_drive_for_program(state);
    state_unlock(state);
    if (moved)
        eventcount_notify(&state->slot->eventcount);
    return over || moved;
}

/* Until its event count is not `seen`: who has changed it has left nothing that could be missed, and wakes only whom it finds counted. */
static void thread_rest(struct eventcount *eventcount, uint32_t seen, int64_t nanoseconds,
                        struct sleep_note *note)
{
    atomic_fetch_add(&eventcount->sleepers, 1);
    eventcount_doze(eventcount, seen, nanoseconds, note);
    atomic_fetch_sub(&eventcount->sleepers, 1);
}

struct watch {
    uint32_t seen; /* answers, at the last look */
    int64_t nap;
    bool is_long; /* until the next look */
};

/* Answers that wait for a note to travel with: who has seen none come since the last look sends them. ns until the next look; 0: none. */
static int64_t thread_watch_answers(struct transport_state *state, struct watch *watch)
{
    bool fresh = state->answers.ever != watch->seen, needed = watch->is_long && !state->progress_naps_long;
    int64_t longer = watch->nap + watch->nap / 8;
    watch->seen = state->answers.ever;
    watch->nap = !fresh || needed ? ANSWER_NAP : longer < ANSWER_NAP_MOST ? longer : ANSWER_NAP_MOST;
    watch->is_long = state->progress_naps_long = fresh && state->drivers > 0 && watch->nap > LONG_NAP;
    if (state->drivers > 0)
        return fresh ? watch->nap : 0;
    if (!fresh)
        answers_flush(state);
    wire_reap(state);
    return fresh && answers_wait_for_turn(state) ? ANSWER_SOON
           : fresh || transport_flies(state)     ? ANSWER_NAP
                                                 : 0;
}

/* Whoever holds the lock drives. To wait for it would cost that thread a system call at each of its looks. */
static void thread_come_in(struct transport_state *state, struct eventcount *eventcount, int64_t nap)
{
    uint32_t seen = atomic_load(&eventcount->count);
    while (pthread_mutex_trylock(&state->lock) != 0) {
        thread_rest(eventcount, seen, nap, NULL);
        uint32_t now = atomic_load(&eventcount->count);
        nap = now != seen ? SHORT_NAP : nap < ANSWER_NAP ? 2 * nap : nap; /* advanced: it is needed soon */
        seen = now;
    }
}

static void thread_main(void *argument)
{
    struct transport_state *state = argument;
    struct eventcount *eventcount = &state->slot->progress;
    int64_t nap = SHORT_NAP;
    struct watch watch = { .nap = ANSWER_NAP };
    thread_come_in(state, eventcount, SHORT_NAP);
    while (!state->progress_stops) {
        uint32_t seen = atomic_load(&eventcount->count);
        bool moved = thread_drive_for_program(state);
        int64_t watches = thread_watch_answers(state, &watch);
        bool naps = watches || (state->drivers == 0 && transport_is_open(state) && transport_moves(state));
        bool listens = naps && state->spread && !watches && !state->transport->wakes;
        state->progress_sleeps = !naps && !moved;
        if (!moved)
            transport_count_heard(state);
        if (!moved && naps)
            transport_remind(state);
        nap = moved ? SHORT_NAP : transport_nap(state, nap);
        state_unlock(state);
        if (moved)
            eventcount_notify(&state->slot->eventcount);
        else if (listens)
            eventcount_listen(eventcount, thread_hears, state, NAP, &state->notes->progress_sleep);
        else if (naps)
            thread_rest(eventcount, seen, watches ? watches : nap, NULL);
        else
            thread_rest(eventcount, seen, NAP * 1000000, &state->notes->progress_sleep);
        thread_come_in(state, eventcount, watches ? watch.nap : SHORT_NAP);
    }
    state_unlock(state);
}

bool transport_thread_start(struct transport_state *state)
{
    return worker_start_progress(&state->progress, state->self, thread_main, state);
}

void transport_thread_stop(struct transport_state *state)
{
    if (!state->progress.runs)
        return;
    state_lock(state);
    state->progress_stops = true;
    state_unlock(state);
    eventcount_advance(&state->slot->progress);
    worker_join(&state->progress);
}
