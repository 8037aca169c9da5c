/*
 * host_reduce.inc.h: the reduction of one element type, in one loop per operation. host_reduce.c includes this
 * once per type, and says before each time:
 *
 *   REDUCE                 the name of the function
 *   element                what lies in the tensors
 *   number                 what is compared and divided: element itself, or float for the 16-bit floats
 *   adder                  what is added and multiplied: number itself, or its unsigned kind, since only that may wrap
 *   OPEN(element)          the number in an element
 *   CLOSE(number)          and back, rounded
 */

/* Combine one more input into the block. The order of operands matters for NaN: `a < b ? a : b` is b where either
 * is NaN, on every rank alike, and compiles to one instruction. */
static void NAMED(REDUCE, fold)(number *restrict block, const element *in, int64_t count, enum dist_op op)
{
    switch (op) {
    case DIST_SUM:
    case DIST_AVG:
        for (int64_t i = 0; i < count; i++)
            block[i] = (number)((adder)block[i] + (adder)OPEN(in[i]));
        break;
    case DIST_PRODUCT:
        for (int64_t i = 0; i < count; i++)
            block[i] = (number)((adder)block[i] * (adder)OPEN(in[i]));
        break;
    case DIST_MIN:
        for (int64_t i = 0; i < count; i++)
            block[i] = block[i] < OPEN(in[i]) ? block[i] : OPEN(in[i]);
        break;
    case DIST_MAX:
        for (int64_t i = 0; i < count; i++)
            block[i] = block[i] > OPEN(in[i]) ? block[i] : OPEN(in[i]);
        break;
    }
}

/* Block by block: the block stays in the nearest cache while the inputs stream past it. Every input's part is read before
 * out's is written, which is what allows out to be one of them. */
static void REDUCE(void *out, const void *const *in, int inputs, int64_t count, enum dist_op op)
{
    number block[BLOCK_BYTES / sizeof(number)];
    const int64_t most = (int64_t)(sizeof(block) / sizeof(*block));

    for (int64_t begin = 0; begin < count; begin += most) {
        int64_t here = count - begin < most ? count - begin : most;
        const element *first = (const element *)in[0] + begin;
        for (int64_t i = 0; i < here; i++)
            block[i] = OPEN(first[i]);
        for (int k = 1; k < inputs; k++)
            NAMED(REDUCE, fold)(block, (const element *)in[k] + begin, here, op);
        if (op == DIST_AVG)
            for (int64_t i = 0; i < here; i++)
                block[i] = (number)(block[i] / inputs);
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
