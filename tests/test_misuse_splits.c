/* test_misuse_splits.c: an all_to_all with splits, called wrongly: who is told what? */
#include "misuse_test.h"

/* x has four elements of its rank. */
static void exchange(tensor *x, int out_count, const int64_t *in, const int64_t *out)
{
    dist_all_to_all(tensor_zeros(DIST_F32, out_count), x, .input_splits = in, .output_splits = out);
}
#define SPLITS(...) ((const int64_t[]){ __VA_ARGS__ })

MISUSE(splits_that_do_not_fill_the_input, 2, DIST_ERR_ARGUMENT, "dist_all_to_all",
       "the 2 input_splits add up to 3, and input has 4 elements")
{
    exchange(x, 4, SPLITS(1, 2), SPLITS(2, 2));
}

MISUSE(splits_beyond_the_output, 2, DIST_ERR_ARGUMENT, "dist_all_to_all",
       "the 2 output_splits add up to 9223372036854775808, and output has 4 elements")
{
    exchange(x, 4, SPLITS(2, 2), SPLITS(INT64_MAX, 1));
}

MISUSE(a_split_below_zero, 2, DIST_ERR_ARGUMENT, "dist_all_to_all",
       "input_splits[1] is -1; a count is 0 or more")
{
    exchange(x, 4, SPLITS(5, -1), NULL);
}

MISUSE(splits_on_one_side_and_an_odd_tensor_on_the_other, 2, DIST_ERR_ARGUMENT, "dist_all_to_all",
       "output has 5 elements, which 2 ranks cannot share evenly")
{
    exchange(x, 5, SPLITS(3, 1), NULL);
}

MISUSE(splits_in_place, 2, DIST_ERR_ARGUMENT, "dist_all_to_all", "share memory")
{
    dist_all_to_all(x, x, .input_splits = SPLITS(2, 2));
}

/* Everybody is told the same: rank 0 sends 3 to rank 2, which waits for 2. */
MISUSE(splits_that_two_members_do_not_share, 3, DIST_ERR_MISMATCH, "dist_all_to_all", "rank 2: ",
       "rank 0 sends 3 elements to rank 2, which expects 2: input_splits[2] of rank 0 must be "
       "output_splits[0] of rank 2")
{
    if (rank == 0)
        exchange(x, 1, SPLITS(1, 0, 3), SPLITS(1, 0, 0));
    else
        exchange(x, rank == 2 ? 2 + 8 : 0, SPLITS(0, 0, 4), rank == 2 ? SPLITS(2, 4, 4) : SPLITS(0, 0, 0));
}

MISUSE(splits_on_one_member_alone, 2, DIST_ERR_MISMATCH, "dist_all_to_all", "rank 0 has 2 elements",
       "rank 1 gives splits")
{
    exchange(x, 4, rank ? SPLITS(2, 2) : NULL, NULL);
}
