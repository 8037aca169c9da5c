/*
 * order.h: which accesses are ordered before which: happens-before, as C11 has it, kept beside a model.
 *
 * The explorer mixes the steps of the threads in every way, but each way is one after the other, so a missing order
 * (relaxed where acquire is needed) would go unseen. Here every thread, and every atomic word, is a HOLDER that
 * knows of a set of accesses to plain memory. A release copies the thread's knowledge to the word, an acquire
 * adds the word's to the thread's. Whoever touches plain memory must know of the accesses that conflict.
 *
 * These are vector clocks, cut down to what a race needs: only the last write to a place and each thread's last read
 * since matter, so one bit for each is enough, and the set of states stays finite.
 */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* Who there is in a model. Holders 0 to threads - 1 are the threads, the others its atomic words. */
struct order {
    uint64_t *
        knows; /* for each holder `width` words: a bit for each access it knows of, (threads + 1) bits a place */
    int holders;
    int threads;
    int width;
};

void order_begin(struct order order);                        /* nothing has happened yet: all know of all */
bool order_read(struct order order, int thread, int place);  /* false: a race with a write */
bool order_write(struct order order, int thread, int place); /* false: a race with a write or a read */
void order_store(struct order order, int thread, int word, bool release);
void order_load(struct order order, int thread, int word, bool acquire);
void order_add(struct order order, int thread, int word,
               bool release); /* read and write in one: what others have released
                                                                         * there stays */

#endif
