/*
 * predict.h: how long should a step take, if its gradients travel in buckets of so many bytes?
 *
 *     compute        [ forward ][ backward .............................. ]              [ step ]
 *     communication             ..[ bucket 0 ]..[ bucket 1 ]..[ bucket 2 ]....[ the rest ]
 *
 * A bucket takes alpha and beta more for each byte. It starts when backward has filled it, and the one before it is over.
 */
#ifndef PREDICT_H
#define PREDICT_H

#include <math.h>

struct cost {
    double forward, backward, step; /* seconds of computing */
    double bytes;                   /* of all gradients */
    double alpha, beta;             /* of an all_reduce: seconds, and seconds for each byte of the bucket */
};

static inline double predict(struct cost c, double bucket)
{
    double filled = 0, over = 0; /* bytes that were computed; when the last bucket was over */
    while (filled < c.bytes) {
        double size = fmin(bucket, c.bytes - filled);
        filled += size;
        over = fmax(over, c.forward + c.backward * filled / c.bytes) + c.alpha + c.beta * size;
    }
    return over + c.step;
}

#endif
