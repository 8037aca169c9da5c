/* leaps_checked.c: handlers that leave by longjmp where DIST_CHECK=1 refuses a call: nothing that was made for it may stay. */
#include "manners.h"

#include <setjmp.h>

static _Thread_local jmp_buf back;
static _Thread_local bool of_entry; /* the report names an entry of a batch */

static void leap(const struct dist_report *report, void *context)
{
    (void)context;
    of_entry = strstr(report->sentence, "entry ") != NULL;
    longjmp(back, (int)report->error);
}

/* y is being received into, so nothing of these begins. */
static void go_wrong(int way, int rank, int size, tensor *x, tensor *y)
{
    dist_work *works[2];
    dist_p2p_op ops[2] = { { DIST_ISEND, x, rank, 5, NULL }, { DIST_ISEND, y, rank, 5, NULL } };
    int64_t splits[8] = { 0 };
    splits[rank] = 4;
    if (way == 0)
        dist_batch_isend_irecv(ops, 2, works);
    else if (way == 1)
        dist_all_reduce(y, .async_op = true);
    else if (way == 2)
        dist_isend(y, (rank + 1) % size);
    else
        dist_all_to_all(x, y, .input_splits = splits, .output_splits = splits);
}

static void nothing_stays(int way, int rank, int size, tensor *x, tensor *y)
{
    if (setjmp(back) == 0) {
        go_wrong(way, rank, size, x, y);
        expect(false, "an error");
    }
    if (setjmp(back) == 0)
        tensor_fill(x, 1);
    else
        expect(false, "x may be changed");
    if (setjmp(back) == 0)
        dist_send(NULL, 0);
    expect(!of_entry, "the batch is over");
}

static void run(int rank, int size)
{
    dist_init_process_group();
    dist_set_error_handler(leap, NULL);
    tensor *x = tensor_zeros(DIST_I32, 4), *y = tensor_zeros(DIST_I32, 4);
    dist_work *work = dist_irecv(y, rank, .tag = 9);
    void *memory = NULL;
    for (int i = 0; i < 12; i++) {
        nothing_stays(i % 4, rank, size, x, y);
        tensor *next = tensor_zeros(DIST_I32, 1); /* memory is used again: always the same */
        memory = i == 0 ? tensor_data(next) : memory;
        expect(memory == tensor_data(next), "no splits are kept");
        tensor_free(next);
    }
    dist_send(x, rank, .tag = 9);
    dist_wait(work);
    tensor_free(x);
    tensor_free(y);
    dist_destroy_process_group();
}

int main(int words, char **word)
{
    what = words > 1 ? word[1] : "leaps";
    return dist_spawn(run, 2);
}
