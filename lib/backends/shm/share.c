/*
 * share.c: a long message is copied by both its ends.
 *
 * The receiver copies (channel.h). A blocking sender would only watch it, on a core of its own where there is one; so the receiver
 * makes an offer of the copy, and whoever has time takes the next chunk. Nobody waits for help: alone, the
 * receiver takes all chunks itself.
 *
 * Why it is right.
 *   Who owns which word. The offer is its receiver's, one at a time: made when a message has matched, over when all
 *   of its bytes are done. The sender only takes chunks (compare-and-swap on `next`) and adds to `done`.
 *   No chunk twice, none after the end. `next` names the message (who sent it, and its number) beside the chunk, in one
 *   word. A late sender finds another name, or no chunk left. A swap that succeeds also says that `to`, read before it, was
 *   this message's: an offer is only made anew when the one before has no chunk left.
 *   Orders. The receiver writes `to` and `done`, then `next` (release), then its ack: SHARED. The sender sees the ack, so it
 *   finds the offer or what came later. It copies, then adds to `done` (release). The receiver sees all bytes in
 *   `done` (acquire), so the tensor is whole; then it stamps the message's ticket, and the send is over.
 *   A sender that dies inside a chunk: the job has failed, which the receiver looks for while it waits.
 */
#define _GNU_SOURCE
#include "channel.h"
#include "../../devices/host.h"

#include <time.h>

#define CHUNK ((size_t)128 << 10)
#define NAP_NS 50000 /* a sender that took the last chunk may have lost its core */

/* The name of src's message with this number. */
static uint64_t share_name_of(int src, uint64_t number)
{
    return (uint64_t)src << 54 | (number & 0x3fffff) << 32;
}

/* Take chunks of the message with this name while there are any. */
static void share_take_chunks(struct shm_state *shm, struct offer *offer, uint64_t name, const char *from,
                              size_t bytes)
{
    bool past = host_outgrows_caches(2 * bytes);
    uint64_t next = atomic_load_explicit(&offer->next, memory_order_acquire);
    while (next >> 32 == name >> 32 && (uint32_t)next * CHUNK < bytes) {
        char *to = world_at(shm->world, atomic_load_explicit(&offer->to, memory_order_relaxed));
        if (!atomic_compare_exchange_weak(&offer->next, &next, next + 1))
            continue;
        size_t begin = (uint32_t)next * CHUNK, here = bytes - begin < CHUNK ? bytes - begin : CHUNK;
        if (past)
            host_copy_past(to + begin, from + begin, here);
        else
            host_copy(to + begin, from + begin, here);
        atomic_fetch_add_explicit(&offer->done, here, memory_order_release);
        next = atomic_load_explicit(&offer->next, memory_order_acquire);
    }
}

void share_help(struct shm_state *shm, struct dist_work *op)
{
    share_take_chunks(shm, &shm->offers[op->peer], share_name_of(shm->rank, op->match.key), op->in.data,
                      bytes_of(op, op->in));
}

bool share_copy(struct shm_state *shm, struct dist_work *op, int src, const struct envelope *envelope)
{
    struct offer *offer = &shm->offers[shm->rank];
    struct backoff backoff = { 0 };
    uint64_t name = share_name_of(src, shm->peers[src].taken + 1);
    size_t bytes = envelope_bytes(envelope);
    const char *from = world_at(shm->world, envelope_offset(envelope));
    atomic_store_explicit(&offer->to, world_offset(shm->world, op->out.data), memory_order_relaxed);
    atomic_store_explicit(&offer->done, 0, memory_order_relaxed);
    atomic_store_explicit(&offer->next, name, memory_order_release);
    channel_take(shm, src, &shm->peers[src], envelope, VERDICT_SHARED);
    channel_flush(shm, src, &shm->peers[src]);
    share_take_chunks(shm, offer, name, from, bytes);
    while (atomic_load_explicit(&offer->done, memory_order_acquire) < bytes) {
        if (backoff_spin(&backoff))
            continue;
        if (world_failed(shm->world))
            return false;
        nanosleep(&(struct timespec){ 0, NAP_NS }, NULL);
        launch_look_around(shm->self);
    }
    return true;
}
