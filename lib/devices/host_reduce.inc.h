/*
 * host_reduce.inc.h: the reduction of one element type. host_reduce.c includes this once per type, and says before:
 *
 *   REDUCE                 the name of the function
 *   element                what lies in the tensors
 *   number                 what is compared and divided, where that is not the element: float for the 16-bit floats, or a wider integer
 *   adder                  what is added and multiplied, where that is not the number: its unsigned kind, since only that may wrap
 *   OPEN(element)          the number in an element, where that is not the element itself,
 *   CLOSE(number)          and back, rounded
 *
 * What MIN and MAX do with numbers of a type is in host_ends.h.
 */
#ifndef number
#define number element
#endif
#ifndef adder
#define adder number
#endif
#ifndef OPEN
#define OPEN SAME
#endif
#ifndef CLOSE
#define CLOSE SAME
#endif

static inline number NAMED(REDUCE, pair)(number a, number b, enum dist_op op)
{
    if (op == DIST_PRODUCT)
        return (number)((adder)a * (adder)b);
    if (op == DIST_MIN)
        return NAMED(lower, number)(a, b);
    if (op == DIST_MAX)
        return NAMED(higher, number)(a, b);
    return (number)((adder)a + (adder)b);
}

/* Numbers begin .. begin + count - 1 of an input: where they lie, or opened into `room`. */
static inline const number *NAMED(REDUCE, numbers)(const void *in, int64_t begin, int64_t count, number *room)
{
    const element *from = (const element *)in + begin;
    if (sizeof(element) == sizeof(number))
        return (const void *)from;
    for (int64_t i = 0; i < count; i++)
        room[i] = OPEN(from[i]);
    return room;
}

/* Combine the next inputs into the block: three at once, or one. Each visit to the block costs as much as an input.
 * `op` is a constant at each use, from which the compiler makes loops without a decision inside. */
static inline void NAMED(REDUCE, fold)(number *restrict block, const number *const next[3], int inputs,
                                       int64_t count, enum dist_op op)
{
    const number *a = next[0], *b = next[1], *c = next[2];
    bool ends = op == DIST_MIN || op == DIST_MAX;
    int64_t done = ends ? NAMED(fold, number)(block, next, inputs, count, op == DIST_MIN) : 0;
    if (inputs == 3)
        for (int64_t i = done; i < count; i++) {
            number ab = NAMED(REDUCE, pair)(NAMED(REDUCE, pair)(block[i], a[i], op), b[i], op);
            block[i] = NAMED(REDUCE, pair)(ab, c[i], op);
        }
    else
        for (int64_t i = done; i < count; i++)
            block[i] = NAMED(REDUCE, pair)(block[i], a[i], op);
}

static void NAMED(REDUCE, fold_any)(number *restrict block, const number *const next[3], int inputs,
                                    int64_t count, enum dist_op op)
{
    if (op == DIST_PRODUCT)
        NAMED(REDUCE, fold)(block, next, inputs, count, DIST_PRODUCT);
    else if (op == DIST_MIN)
        NAMED(REDUCE, fold)(block, next, inputs, count, DIST_MIN);
    else if (op == DIST_MAX)
        NAMED(REDUCE, fold)(block, next, inputs, count, DIST_MAX);
    else
        NAMED(REDUCE, fold)(block, next, inputs, count, DIST_SUM);
}

/* A handful, one by one: no blocks, and no long load of what the program has just written piece by piece, which waits until all
 * of it has reached the cache. */
static void NAMED(REDUCE, few)(void *out, const void *const *in, int inputs, int ways, int64_t count,
                               enum dist_op op)
{
    for (int64_t i = 0; i < count; i++) {
        number all = OPEN(((const element *)in[0])[i]);
        for (int k = 1; k < inputs; k++)
            all = NAMED(REDUCE, pair)(all, OPEN(((const element *)in[k])[i]), op);
        if (op == DIST_AVG)
            all = (number)(all / ways);
        ((element *)out)[i] = CLOSE(all);
    }
}

/* Block by block: the block stays in the nearest cache while the inputs stream past it. Every input's part is read before
 * out's is written, which is what allows out to be one of them. */
static void REDUCE(void *out, const void *const *in, int inputs, int ways, int64_t count, enum dist_op op)
{
    enum { BLOCK = BLOCK_BYTES / sizeof(number) };
    number block[BLOCK], room[3][BLOCK];

    if (count <= REDUCE_FEW) {
        NAMED(REDUCE, few)(out, in, inputs, ways, count, op);
        return;
    }
    for (int64_t begin = 0; begin < count; begin += BLOCK) {
        int64_t here = count - begin < BLOCK ? count - begin : BLOCK;
        const element *first = (const element *)in[0] + begin;
        for (int64_t i = 0; i < here; i++)
            block[i] = OPEN(first[i]);
        for (int k = 1, step; k < inputs; k += step) {
            const number *next[3] = { NULL };
            step = inputs - k < 3 ? 1 : 3;
            for (int i = 0; i < step; i++)
                next[i] = NAMED(REDUCE, numbers)(in[k + i], begin, here, room[i]);
            NAMED(REDUCE, fold_any)(block, next, step, here, op);
        }
        if (op == DIST_AVG)
            for (int64_t i = 0; i < here; i++)
                block[i] = (number)(block[i] / ways);
        element *to = (element *)out + begin;
        for (int64_t i = 0; i < here; i++)
            to[i] = CLOSE(block[i]);
    }
}

#undef REDUCE
#undef element
#undef number
#undef adder
#undef OPEN
#undef CLOSE
