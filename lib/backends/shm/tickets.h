/* tickets.h: by its ticket a send learns how it ended, where its message left the channel before that: its receiver stamps it. */
#ifndef SHM_TICKETS_H
#define SHM_TICKETS_H

#include "shm.h"

/* Are all tickets with messages that are not yet copied? */
static inline bool tickets_are_out(const struct shm_state *shm)
{
    return shm->free_ticket_count == 0 && shm->tickets_used == TICKETS;
}

static inline uint32_t ticket_take(struct shm_state *shm)
{
    if (tickets_are_out(shm))
        return NO_TICKET;
    return shm->free_ticket_count > 0 ? shm->free_tickets[--shm->free_ticket_count] : shm->tickets_used++;
}

static inline void ticket_clear(struct shm_state *shm, uint32_t ticket)
{
    atomic_store_explicit(&shm->tickets[(size_t)shm->rank * TICKETS + ticket], VERDICT_NONE,
                          memory_order_relaxed);
}

/* For the next quick message. */
static inline void ticket_take_spare(struct shm_state *shm)
{
    shm->spare = ticket_take(shm);
    if (shm->spare != NO_TICKET)
        ticket_clear(shm, shm->spare);
}

static inline void ticket_give_back(struct shm_state *shm, uint32_t ticket)
{
    if (ticket != NO_TICKET)
        shm->free_tickets[shm->free_ticket_count++] = ticket;
    if (shm->spare == NO_TICKET)
        ticket_take_spare(shm);
}

/* The receiver's: of a message of src. */
static inline void ticket_stamp(struct shm_state *shm, int src, uint32_t ticket, enum verdict verdict)
{
    if (ticket == NO_TICKET)
        return;
    atomic_store_explicit(&shm->tickets[(size_t)src * TICKETS + ticket], verdict, memory_order_release);
    if (src != shm->rank)
        eventcount_notify_lightly(&rank_slot_of(shm, src)->eventcount);
}

#endif
