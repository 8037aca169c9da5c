/* What each rank does in 03.4. */
#include "../../grader/desk.h"

void work_together(tensor *half, tensor *other, void (*work)(tensor *half), int rank, int world_size);

static int me, ranks;
static bool held;

/* Held: an even rank's work is done only when the odd rank above it has begun its own. Who waits for the message before it works, in
 * whatever way, waits for ever. */
static void keep_behind(void)
{
    enum { TAG = 77 };
    tensor *note = tensor_zeros(DIST_U8, 1);
    if (held && me % 2 == 1)
        dist_send(note, me - 1, .tag = TAG);
    else if (held && me + 1 < ranks)
        dist_recv(note, me + 1, .tag = TAG);
    tensor_free(note);
}

static void square(tensor *half)
{
    dist_span("desk: work") {
        desk_late();
        keep_behind();
        tensor_mul(half, half);
    }
}

void desk(int rank, int world_size)
{
    me = rank;
    ranks = world_size;
    held = desk_number("held") > 0;
    tensor *half = desk_tensor("half");
    tensor *other = desk_used_room(DIST_F32, tensor_numel(half));
    work_together(half, other, square, rank, world_size);
    desk_hand_in("half", half);
}
