/* test_quick_tickets.c: the quick way of a message needs a ticket (lib/backends/shm/shm.h): many in a row, and none to spare. */
#include "backends/shm/shm.h"
#include "context.h"
#include "dist.h"
#include "quick_talk.h"

#include <criterion/criterion.h>

TestSuite(quick_tickets, .timeout = 100);

/* More than a rank has tickets, each with one, since it cannot be wanted: they are used again. Where others keep the machine busy this
 * is ended early. */
static void more_than_tickets(struct exam *exam, int rank, int size)
{
    tensor *t = tensor_zeros(DIST_I32, 1);
    int32_t *value = tensor_data(t), wrong = 0;
    double until = dist_time() + 20;
    for (int32_t i = 0; *value >= 0 && size == 2; i++) {
        *value = rank == 0 && i < 70000 && dist_time() < until ? i : -1;
        if (rank == 0)
            dist_send(t, 1, .tag = 20000);
        else
            dist_recv(t, 0, .tag = 20000);
        wrong += *value >= 0 && *value != i;
    }
    exam_check(exam, wrong == 0, "%d letters of 70000 are wrong", wrong);
    tensor_free(t);
}
Test(quick_tickets, more_than_tickets)
{
    talk_run("more letters than tickets", 2, more_than_tickets);
}

/* As if all tickets were with parked letters: messages go the long way, which gives the quick way a ticket again. */
static void none_spare(struct exam *exam, int rank, int size)
{
    struct shm_room *room = context_get()->room;
    for (int i = 0; i < 300; i++) {
        struct word word = { DIST_F32, 1 + i % 4, i % 3, exam->seed + (uint64_t)i };
        if (i % 3 == 0)
            room->spare = NO_TICKET;
        if (rank == i % size)
            talk_send(exam, rank, (i + 1) % size, word);
        else
            talk_recv(exam, rank, i % size, word);
        if (rank == i % size)
            exam_check(exam, room->spare != NO_TICKET, "message %d has brought no ticket", i);
    }
}
Test(quick_tickets, none_spare)
{
    talk_run("no ticket to spare", 2, none_spare);
}
