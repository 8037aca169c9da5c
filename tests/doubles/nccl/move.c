/*
 * move.c: what the steps of a kernel do.
 *
 * With `moves` they really take place: a send leaves a letter that the receive in another rank's kernel takes; a collective
 * waits for all. As with NCCL the order decides what meets what, too short a receive cuts a message off, and what does
 * not fit together never ends, until its communicator is aborted.
 */
#define _GNU_SOURCE
#include "double.h"

#include <stdlib.h>
#include <string.h>

struct letter {
    struct place *place;
    int src, dst;
    const void *data;
    size_t bytes;
    bool taken;
    struct letter *next;
};

static struct letter *letters;
static struct round *rounds;

/* ---- one step, with the lock held: true, it is done ---------------------------------------------- */

static bool fit_together(const struct round *round)
{
    const struct step *a = &round->steps[0];
    for (int i = 1; i < a->comm->size; i++) {
        const struct step *b = &round->steps[i];
        if (strcmp(a->name, b->name) != 0 || a->count != b->count || a->type != b->type || a->peer != b->peer)
            return false;
    }
    return true;
}

static struct round *round_of(const struct step *step)
{
    uint32_t number = ++step->comm->collectives;
    struct round *round = rounds;
    while (round && (round->place != step->comm->place || round->number != number))
        round = round->next;
    if (!round) {
        round = double_keep(sizeof *round);
        *round = (struct round){ .place = step->comm->place, .number = number, .next = rounds };
        rounds = round;
    }
    round->steps[step->comm->rank] = *step;
    if (++round->came == step->comm->size && fit_together(round)) {
        double_perform(round);
        round->over = true;
        pthread_cond_broadcast(&double_news);
    }
    return round;
}

static struct letter *letter_for(const struct step *step)
{
    struct letter *letter = letters;
    while (letter && (letter->taken || letter->place != step->comm->place || letter->src != step->peer ||
                      letter->dst != step->comm->rank))
        letter = letter->next;
    return letter;
}

static struct letter *write_letter(const struct step *step)
{
    struct letter *letter = double_keep(sizeof *letter), **end = &letters;
    pthread_cond_broadcast(&double_news);
    *letter = (struct letter){ step->comm->place,
                               step->comm->rank,
                               step->peer,
                               step->in,
                               step->count * dtype_size(type_of(step->type)),
                               false,
                               NULL };
    while (*end)
        end = &(*end)->next;
    return *end = letter;
}

static bool do_step(struct kernel_run *run, int i)
{
    struct step *step = &run->steps[i];
    if (strcmp(step->name, "Send") == 0) {
        run->letters[i] = run->letters[i] ? run->letters[i] : write_letter(step);
        return run->letters[i]->taken;
    }
    if (strcmp(step->name, "Recv") != 0) {
        run->rounds[i] = run->rounds[i] ? run->rounds[i] : round_of(step);
        return run->rounds[i]->over;
    }
    for (int j = 0; j < i; j++) /* in their order */
        if (!run->done[j] && strcmp(run->steps[j].name, "Recv") == 0 && run->steps[j].peer == step->peer)
            return false;
    struct letter *letter = letter_for(step);
    size_t room = step->count * dtype_size(type_of(step->type));
    if (!letter)
        return false;
    size_t bytes = letter->bytes < room ? letter->bytes : room;
    if (bytes > 0)
        memcpy(step->out, letter->data, bytes);
    pthread_cond_broadcast(&double_news);
    return letter->taken = true;
}

/* ---- all of a kernel -------------------------------------------------------------------------------- */

/* True: all done, or aborted. Whatever this kernel has laid down, another may have waited for. */
static bool go_on(struct kernel_run *run, bool *moved)
{
    bool over = script.moves;
    *moved = false;
    for (int i = 0; i < run->count; i++) {
        if (run->steps[i].comm->aborted)
            return true;
        if (script.moves && !run->done[i] && do_step(run, i))
            run->done[i] = *moved = true;
        over = over && run->done[i];
    }
    return over;
}

void move_kernel(struct kernel_run *run)
{
    pthread_mutex_lock(&double_lock);
    for (bool moved; !go_on(run, &moved);)
        if (!moved) /* else an earlier step may go on now: a message to itself */
            pthread_cond_wait(&double_news, &double_lock);
    run->steps[0].comm->running--;
    pthread_cond_broadcast(&double_news);
    pthread_mutex_unlock(&double_lock);
}
