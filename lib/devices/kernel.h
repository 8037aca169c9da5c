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
    KERNEL_SOFTMAX, /* each row of out[rows][columns]: e^(x - largest) / their sum, in double, rounded once; floats */
    /* Of learning; floats only, in double, rounded once. Rows and columns are those of out unless said otherwise; ids are I64. */
    KERNEL_GELU,             /* out[i] = x / 2 (1 + erf(x / sqrt 2)), x = out[i] */
    KERNEL_GELU_BACKWARD,    /* out[i] = out[i] * the slope of that at in[0][i] */
    KERNEL_SOFTMAX_BACKWARD, /* each row: out = y (out - the sum of y out), y = in[0]'s row */
    KERNEL_CAUSAL_MASK,      /* out[..][rows][columns]: minus infinity where column - row > inner */
    KERNEL_LAYER_NORM, /* each row: out = (x - mean) / sqrt(variance + value) in[1] + in[2], x = in[0]'s; NULL: 1, 0 */
    KERNEL_LAYER_NORM_BACKWARD, /* each row: out = gradient by x = in[1], where that of the result is in[0]; in[2]: as in[1] above */
    KERNEL_ADD_COLUMNS, /* out[columns] += the sums of the columns of in[0][rows][columns] in[1][rows][columns]; NULL: 1 */
    KERNEL_EMBEDDING, /* each row: out = row in[1][row] of in[0][inner][columns]; NaN where there is none */
    KERNEL_EMBEDDING_BACKWARD, /* out[inner][columns]: row in[1][i] += row i of in[0][rows][columns], i = 0, 1, ... */
    KERNEL_CROSS_ENTROPY, /* out[row] = log of the sum of e^x - x[id], x: row of in[0][rows][columns]; id = in[1][row] < 0: 0 */
    KERNEL_CROSS_ENTROPY_BACKWARD, /* each row: out = its shares as in SOFTMAX, less 1 for id = in[0][row]; id < 0: 0 */
    KERNEL_ADAMW,     /* out = weights, copy[0] and [1] = moments, in[0] = gradient; struct adamw says how */
    KERNEL_SUM,       /* *(double *)out = in[0][0] + in[0][1] + ..., in double, `count` of them */
    KERNEL_MATMUL,    /* out[rows][columns] = in[0][rows][inner] * in[1][inner][columns]; F32, F64 */
    KERNEL_TRANSPOSE, /* out[columns][rows] = in[0][rows][columns] */
    KERNEL_KINDS
};

/* w = w keep - rate m / (sqrt(v) / root + epsilon), where m = beta1 m + (1 - beta1) g and v = beta2 v + (1 - beta2) g^2 come first. */
struct adamw {
    double keep, rate, beta1, beta2, root, epsilon;
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
    size_t in_bytes[3]; /* of those that a tensor call reads: for DIST_CHECK=1 */
    int copies;         /* REDUCE: how many of copy[] are there */
    void *copy[KERNEL_INPUTS - 1];
    int64_t count; /* elements of out, unless said otherwise */
    int64_t rows, inner, columns;
    double value, term;
    struct adamw adamw;
    const char *name; /* the call that it is, "tensor_add", for pictures and reports; a string that stays */
    struct dist_at at;
};

/* Run a kernel on memory of the host, here and now. */
void host_launch(const struct kernel *kernel);
void host_learn(const struct kernel *kernel); /* the kernels of learning, and SOFTMAX */

#endif
