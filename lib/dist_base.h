/* dist_base.h: what everything else is made of: types of elements, reductions, errors, a place in the source. */
#ifndef DIST_BASE_H
#define DIST_BASE_H

/* Element types. F16 is IEEE half; BF16 is the upper half of an F32. */
enum dist_type { DIST_F32, DIST_F64, DIST_F16, DIST_BF16, DIST_I32, DIST_I64, DIST_U8 };

/* Reductions. F16 and BF16 are combined in F32 and rounded once, also on the way of a ring. Sums and products of integers
 * wrap; AVG of integers rounds toward zero, and adds U8 and I32 in a wider type (that of I64 wraps). MIN and MAX: a NaN
 * of any rank stays, and -0 lies below +0. Elements are combined in rank order, so every rank gets the same bits. (With
 * DIST_ALGORITHM=tree, ring or halving an all_reduce is done by messages, in another order: still the same bits on all. Where NCCL
 * moves the data it also adds them up, in its own way: its MIN and MAX drop a NaN, averages are rounded at every step,
 * and sums of the ranks that do not fit the type are lost.) */
enum dist_op { DIST_SUM, DIST_AVG, DIST_PRODUCT, DIST_MIN, DIST_MAX };

/* As src of a receive: whoever sends first; of messages that wait already, the one that was sent first. A number that no arithmetic
 * on ranks comes to. */
#define DIST_ANY_SOURCE (-0x40000000)

/* What can go wrong; each number is also the exit status of the program. */
enum dist_error {
    DIST_OK = 0,
    DIST_ERR_ARGUMENT = 40,    /* an argument that cannot be right: a rank out of range, a NULL tensor */
    DIST_ERR_STATE = 41,       /* before init, after destroy, a work waited for twice */
    DIST_ERR_MISMATCH = 42,    /* two ranks disagree: size, type, collective, root, reduction */
    DIST_ERR_PEER_LOST = 43,   /* another rank ended while it was still needed */
    DIST_ERR_TIMEOUT = 44,     /* a rank did not come in time: to the start, to a monitored_barrier */
    DIST_ERR_DEADLOCK = 45,    /* no rank can ever move again */
    DIST_ERR_ENVIRONMENT = 46, /* a variable such as WORLD_SIZE, BACKEND or DIST_RANKS makes no sense */
    DIST_ERR_MEMORY = 47,      /* no memory left for a tensor or a group */
    DIST_ERR_SYSTEM = 48,      /* the operating system refused something */
    DIST_ERR_BUFFER = 49       /* DIST_CHECK=1: a tensor was touched while others still needed it */
};

#ifdef __cplusplus
extern "C" {
#endif
/* The name of an error: "DIST_ERR_MISMATCH". */
const char *dist_error_name(enum dist_error error);
#ifdef __cplusplus
}
#endif

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h: gcc 10 looks where the innermost macro of an argument stands */
#endif

/* A place in the caller's source; every report names it. */
struct dist_at {
    const char *file;
    int line;
};
#ifdef __cplusplus
#define DIST_AT (dist_at{ __FILE__, __LINE__ })
#define DIST_CALLER dist_at at = { __builtin_FILE(), __builtin_LINE() } /* as last parameter */
/* A function of C++, and what it gives. */
#define DIST_CPP(function, ...) \
    inline function \
    { \
        return __VA_ARGS__; \
    }
#else
#define DIST_AT ((struct dist_at){ __FILE__, __LINE__ })
#endif

#endif
