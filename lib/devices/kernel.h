/*
 * kernel.h: a loop over elements, described by a struct, so that each device can run it where its data are.
 */
#ifndef DEVICES_KERNEL_H
#define DEVICES_KERNEL_H

#include "../dtype.h"

#define KERNEL_INPUTS 16

enum kernel_kind {
    KERNEL_FILL,    /* out[i] = value */
    KERNEL_ARANGE,  /* out[i] = value + i */
    KERNEL_CONVERT, /* out[i] = in[0][i], which is of type `from`; the two may overlap if the types agree */
    KERNEL_REDUCE, /* out[i] = in[0][i] op in[1][i] op ..., as host_reduce (host.h) promises; then copy[..][i] = out[i];
                    * out and copy[..] may be inputs: of each element all are read before any is written */
    KERNEL_SUB,           /* out[i] = in[0][i] - in[1][i]; out may be one of them */
    KERNEL_SCALE,         /* out[i] = out[i] * value + term, in double, rounded once */
    KERNEL_RELU,          /* out[i] = out[i] < 0 ? 0 : out[i] */
    KERNEL_RELU_BACKWARD, /* out[i] = in[0][i] > 0 ? out[i] : 0 */
    KERNEL_SUM,           /* *(double *)out = in[0][0] + in[0][1] + ..., in double, `count` of them */
    KERNEL_MATMUL,        /* out[rows][columns] = in[0][rows][inner] * in[1][inner][columns]; F32, F64 */
    KERNEL_TRANSPOSE,     /* out[columns][rows] = in[0][rows][columns] */
    KERNEL_KINDS
};

struct kernel {
    enum kernel_kind kind;
    enum dist_type type; /* of out and in */
    enum dist_type from;
    enum dist_op op;
    int inputs;
    int ways; /* REDUCE, DIST_AVG: divide by this; 0: by `inputs` */
    void *out;
    const void *in[KERNEL_INPUTS];
    int copies; /* REDUCE: how many of copy[] are there */
    void *copy[KERNEL_INPUTS - 1];
    int64_t count; /* elements of out, unless said otherwise */
    int64_t rows, inner, columns;
    double value, term;
    const char *name; /* the call that it is, "tensor_add", for pictures and reports; a string that stays */
    struct dist_at at;
};

/* Run a kernel on memory of the host, here and now. */
void host_launch(const struct kernel *kernel);

#endif
