/*
 * desk.h: the learner's side. Every exercise has a desk: a function that each rank runs, between init and destroy, with what the
 * grader has laid out for it.
 *
 *     void pass_round(tensor *x, int rank, int world_size);       the learner's function
 *
 *     void desk(int rank, int world_size)
 *     {
 *         tensor *x = desk_tensor("mine");
 *         pass_round(x, rank, world_size);
 *         desk_hand_in("home", x);
 *     }
 *
 * What is missing in the learner's file or does not fit ends the rank with one sentence.
 */
#ifndef GRADER_DESK_H
#define GRADER_DESK_H

#include "dist.h"

/* Each exercise's own: NAME.desk.c. */
void desk(int rank, int world_size);

/* What this rank was given under that name. The desk frees it when desk() has returned. */
tensor *desk_tensor(const char *name);
tensor *desk_matrix(const char *name, int64_t rows, int64_t columns);
double desk_number(const char *name);

/* Room for `count` zeros, for the learner's function to fill. The desk frees it too. */
tensor *desk_room(enum dist_type type, int64_t count);

/* The same, but not empty, as a tensor is that was used before: for what the learner's function is to overwrite. */
tensor *desk_used_room(enum dist_type type, int64_t count);

/* A copy, all elements times this, the caller's to free: a call that is not the last one gets other numbers, so that what it leaves behind is of
 * no use to the next. */
tensor *desk_times(const tensor *t, double factor);

/* The elements of an I64 tensor become numbers of all 64 bits, which no F64 holds; and back. What has gone through a double does not come
 * back. Of other types nothing changes. */
#define DESK_WIDEN 0x9e3779b97f4a7c15u /* odd: so it has an inverse modulo 2^64 */
#define DESK_NARROW 0xf1de83e19937733du
static inline void desk_times_exactly(tensor *t, uint64_t factor)
{
    uint64_t *numbers = tensor_type(t) == DIST_I64 ? tensor_data(t) : NULL;
    for (int64_t i = 0; numbers && i < tensor_numel(t); i++)
        numbers[i] *= factor;
}

/* Hand in a tensor as it is now. */
void desk_hand_in(const char *name, const tensor *t);
void desk_hand_in_number(const char *name, double value);

/* An entry of another kind than a tensor: for the desk's own files. */
void desk_put(const char *name, enum dist_type type, const void *data, int64_t count);

/* stand.c: from here on the rank tells where it stands, when it is asked; or now, of itself. */
void desk_stand_begin(void);
void desk_stand(void);

/* denied.c: from here on what the system refuses to the library is no end of the rank. */
void desk_denied_begin(void);

/* late.c: sleep for a moment, as long as chance wants. */
void desk_late_begin(int rank);
void desk_late(void);

/* late.c: of this rank's calls from here on that send or receive and block, number `call`, counted from 1, comes a whole millisecond
 * late; 0: none. */
void desk_pause_at(int call);

/* heap.c: was anything written behind what the learner's file has got from malloc and has not freed? Then the rank ends here. That it was
 * not freed is told, too. */
void desk_look_at_heap(void);

/* held.c: where "held" was given as 1, rank 1 lags one all-reduce behind rank 0, from the first of `starts` that the learner's file starts to
 * the last; late.c tells of each. All ranks begin and end it together. */
void desk_hold(int rank, int world_size, int starts);
void desk_held_start(void);
void desk_hold_end(void);

/* How many events the learner's file has made and not freed. */
int desk_events(void);

/* confine.c: from here on the system does for this process only what a rank needs. */
void confine(void);

#endif
