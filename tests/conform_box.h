/*
 * conform_box.h: a tensor with a margin that nobody may touch, and random numbers to put into it.
 *
 *   whole   5a 5a 5a | x0 x1 x2 ... | 5a 5a 5a 5a 5a
 *             margin   view (a slice)   margin
 *
 * With an odd margin the view begins at an address that is a multiple of its element's size and of nothing more.
 */
#ifndef TESTS_CONFORM_BOX_H
#define TESTS_CONFORM_BOX_H

#include "conform_exam.h"

struct box {
    tensor *whole; /* NULL: no margin */
    tensor *view;
    enum dist_type type;
    int64_t margin, count;
};

struct box box_new(enum dist_type type, int64_t count, int64_t margin);
void box_free(struct box *box);
void box_put(struct box *box, const void *values);

/* A finding: the view holds `expected` and the margins are as they were. near: the same of a reduction of so many inputs, up to
 * what another order of adding may change. */
bool box_check(struct exam *exam, const struct box *box, const void *expected, const char *what);
bool box_check_near(struct exam *exam, const struct box *box, const void *expected, enum dist_op op,
                    int inputs, const char *what);

/* Random numbers of one type for every rank, and what each reduction makes of all of them. A test takes windows:
 * what holds for the whole holds for every part. Made before the ranks start, only read by them. */
struct pool {
    enum dist_type type;
    int ranks;
    int64_t count;
    char *in[8];
    char *reduced[REF_OPS];
};

bool pool_new(struct pool *pool, enum dist_type type, int ranks, int64_t count, uint64_t seed);
void pool_free(struct pool *pool);
const void *pool_in(const struct pool *pool, int rank, int64_t i);
const void *pool_reduced(const struct pool *pool, enum dist_op op, int64_t i);

#endif
