/* peers.c: how a rank's end becomes known to the others. */
#define _GNU_SOURCE
#include "job.h"

#include <fcntl.h>
#include <unistd.h>

#define LOOKS \
    16 /* peers looked at in one call: 64 sleeping ranks must not spend their time in system calls */
#define PERMISSION_LOOKS 5000 /* ms in which the first machine's watcher has to answer */
/* us in which its launcher sees the end of the teller, and no other beside it; and then the ends of those that could not go on, before who had
 * left ends */
#define SEEN_AFTER 20000
#define LEFT_AFTER 500000

void launch_rank_ended(struct world *world, int rank)
{
    struct rank_slot *slot = &world->header->slots[rank];
    uint32_t state = atomic_load(&slot->state);
    if (state == RANK_JOINED)
        world_fail(world, rank, END_EXIT, 0, "");
    atomic_store(&slot->pid, -1);
    if (state == RANK_JOINED || state == RANK_LEFT)
        atomic_store(&slot->state, RANK_GONE);
}

/* A rank that no watcher looks after holds a lock on its byte of the world's file. The kernel takes it back when the process ends,
 * however it ends and before its parent knows; and anybody may ask for it, also from another PID namespace, in which the process
 * has no number, or a number that is somebody else's here. */
static struct flock peers_byte_of(int rank)
{
    return (struct flock){ .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = rank, .l_len = 1 };
}

bool launch_lock(struct world *world, int rank)
{
    struct flock lock = peers_byte_of(rank);
    return fcntl(world->fd, F_SETLK, &lock) == 0;
}

void launch_hold(struct world *world, int rank)
{
    if (launch_lock(world, rank))
        atomic_store(&world->header->slots[rank].held, 1);
}

/* Whose lock it is, the kernel tells by the number that the process has here, or by 0. */
pid_t launch_pid_of(const struct world *world, int rank)
{
    struct flock lock = peers_byte_of(rank);
    pid_t pid = atomic_load(&world->header->slots[rank].pid);
    bool locked = pid > 0 && fcntl(world->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    return locked ? lock.l_pid : pid;
}

/* A rank that a script starts is no child of the launcher. Where that was killed before the rank asks to die with its parent, nobody
 * would end it, nor tell that it is stuck. So the launcher holds a lock, too. */
void launch_hold_watch(struct world *world)
{
    if (launch_lock(world, world->header->size))
        atomic_store(&world->header->watched, 1);
}

bool launch_has_lost_watcher(const struct world *world)
{
    struct flock lock = peers_byte_of(world->header->size);
    return atomic_load(&world->header->watched) && fcntl(world->fd, F_GETLK, &lock) == 0 &&
           lock.l_type == F_UNLCK;
}

static bool peers_has_ended(const struct world *world, int rank)
{
    const struct launch_self *own = launch_self_if_any(); /* whose lock would not be told from none */
    struct flock lock = peers_byte_of(rank);
    return !(own && own->env.rank == rank) && atomic_load(&world->header->slots[rank].held) &&
           fcntl(world->fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK;
}

bool world_check_peers(struct world *world, int rank)
{
    static _Thread_local int turn;
    int size = world->header->size;
    for (int i = 0; i < LOOKS && i < size && !world_failed(world); i++) {
        int peer = turn++ % size;
        struct rank_slot *slot = &world->header->slots[peer];
        if (peer == rank || atomic_load(&slot->state) > RANK_JOINED || !peers_has_ended(world, peer))
            continue;
        /* It may have left between our two looks. */
        if (atomic_load(&slot->state) <= RANK_JOINED)
            world_fail(world, peer, END_EXIT, -1, "");
    }
    turn %= size;
    return world_failed(world);
}

/* The rank in whose process this machine's watcher is, where no launcher of ours is. */
static bool peers_lack_watcher(const struct launch_self *self)
{
    int first = 0;
    while (!world_has(&self->world, first))
        first++;
    return !self->watched && peers_has_ended(&self->world, first);
}

/* On another machine somebody may have seen it before us, and tells; or what we see comes of it. Node 0's watcher says so, once all know.
 * Of a machine that has lost its watcher it tells itself. */
static bool peers_is_permitted(const struct launch_self *self)
{
    const struct world_header *header = self->world.header;
    for (int look = 0; look < PERMISSION_LOOKS && world_is_spread(&self->world); look++) {
        uint32_t permission = atomic_load(&header->permission);
        if (permission != PERMISSION_UNKNOWN)
            return permission == PERMISSION_GRANTED;
        if (peers_lack_watcher(self))
            break;
        usleep(1000);
    }
    return header->node == 0;
}

bool launch_is_told(const struct world *world)
{
    bool told;
    int teller = world_teller(world, &told);
    const struct launch_self *own = launch_self_if_any(); /* it told itself, by another of its threads */
    bool is_other = teller >= 0 && teller < world->header->size && !(own && own->env.rank == teller);
    return told &&
           !(is_other && atomic_load(&world->header->slots[teller].held) && !peers_has_ended(world, teller));
}

void launch_leave_failed(struct launch_self *self)
{
    if (self->watched)
        return;
    for (int look = 0; look < LAUNCH_TELL_MS && !launch_is_told(&self->world); look++)
        usleep(1000);
    usleep(LEFT_AFTER);
}

void launch_leave_it_to_0(struct world *world, int status, const char *why)
{
    for (int ms = 0; ms < LAUNCH_TELL_MS; ms++) /* (a launcher's signal cuts a nap short) */
        usleep(1000);
    world_fail(world, 0, END_ERROR, status, why);
    world_told(world);
}

/* If the teller has ended before it had told, or nobody tells, this rank tells instead. */
bool launch_tells(struct launch_self *self, int code, const char *cause)
{
    struct world *world = &self->world;
    bool told, chosen = world_fail_and_tell(world, self->env.rank, code, cause);
    if (chosen && peers_is_permitted(self))
        return true;
    if (self->watched)
        return false;
    if (chosen)
        world_tell_over();
    for (int look = 0; look < LAUNCH_TELL_MS && !launch_is_told(world); look++) {
        int teller = world_teller(world, &told);
        bool instead = !chosen && !told &&
                       (teller < 0 || (teller < world->header->size && peers_has_ended(world, teller)));
        if (instead && world_tell_instead(world, teller)) {
            if (peers_is_permitted(self))
                return true;
            chosen = true;
            world_tell_over();
        }
        usleep(1000);
    }
    usleep(SEEN_AFTER);
    return false;
}

void launch_fail(struct launch_self *self, int code, const char *sentence)
{
    if (!launch_tells(self, code, sentence))
        return;
    text_tell(sentence, TEXT_WIDTH);
    world_told(&self->world);
    world_tell_over();
    world_wake(&self->world);
}

void launch_look_around(struct launch_self *self)
{
    if (self->watched)
        return;
    world_check_peers(&self->world, self->env.rank);
    if (!self->look || world_failed(&self->world) || world_is_spread(&self->world)) /* the watchers look */
        return;
    self->look(&self->world, self->env.rank);
    /* Behind a nap in vain it counts as asleep (diagnose/stuck.c), once: now it is awake. */
    struct sleep_note *note = launch_note(self);
    if (note && atomic_load(&note->epoch) % 2 == 0)
        atomic_fetch_sub(&note->seen, 1);
}
