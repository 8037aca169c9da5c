/* What each rank does in 08.3: once, and where two calls are wanted once more, with larger blocks. */
#include "../../grader/desk.h"

void reduce_scatter(tensor *output, tensor *input, int rank, int n);

void desk(int rank, int world_size)
{
    static const char *const inputs[] = { "input", "input again" };
    static const char *const outputs[] = { "output", "output again" };
    for (int call = 0; call < (int)desk_number("calls") && call < 2; call++) {
        dist_group_free(
            dist_new_group((int[]){ 0 }, 1)); /* all meet: two calls at the same time are another exercise */
        tensor *input = desk_tensor(inputs[call]);
        tensor *output = desk_room(DIST_F32, tensor_numel(input) / world_size);
        tensor_fill(output, -1); /* what lies there is no part of the sum */
        reduce_scatter(output, input, rank, world_size);
        desk_hand_in(outputs[call], output);
        desk_hand_in(inputs[call], input);
    }
}
