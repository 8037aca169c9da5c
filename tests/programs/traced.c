/*
 * traced.c: something of everything, for the tests of what DIST_TRACE writes.
 *
 *   traced mixed        collectives, groups, messages of all kinds, spans
 *   traced break        spans that are left by break
 *   traced stuck        rank 1 waits for a message that nobody sends, until rank 0 is killed
 *   traced turns        the host's tensors and a GPU's take turns: two threads of a rank, in one order
 *   traced language     prints and sends halves, and the largest I32, in a language that LC_ALL names
 *   traced many N       N barriers
 *   traced any          of two works whichever is first, on a GPU; then a span, and the other one
 *   traced sums         of two all_reduces whichever is first, then the other one; then a third
 *   traced cost         prints how many nanoseconds a barrier takes, in the quietest of many moments
 */
#include "dist.h"

#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *mode;
static int many;

/* Every rank sends two numbers to rank 0, which takes whoever comes and waits in the opposite order. */
static void any_source(int rank, int world_size)
{
    tensor *x = tensor_arange(DIST_F64, 1000 * rank, 1000 * rank + 3);
    dist_work *works[32];
    tensor *got[32];
    int count = rank == 0 ? 2 * (world_size - 1) : 0;
    for (int i = 0; i < count; i++) {
        got[i] = tensor_zeros(DIST_F64, 3);
        works[i] = dist_irecv(got[i], DIST_ANY_SOURCE, .tag = 5);
    }
    for (int turn = 0; rank > 0 && turn < 2; turn++) {
        dist_send(x, 0, .tag = 5);
        tensor_add_scalar(x, 100);
    }
    for (int i = count - 1; i >= 0; i--) {
        dist_wait(works[i]);
        tensor_free(got[i]);
    }
    tensor_free(x);
}

static void groups(int rank, int world_size)
{
    int even[16], count = 0;
    for (int r = (world_size - 1) / 2 * 2; r >= 0; r -= 2)
        even[count++] = r;
    dist_group *group = dist_new_group(even, count);
    tensor *x = tensor_full(DIST_I32, rank + 1, 2);
    if (rank % 2 == 0) {
        dist_all_reduce(x, .group = group);
        dist_broadcast(x, 0, .group = group);
    }
    dist_group_free(group);
    tensor_free(x);
}

static void exchange(int rank, int world_size)
{
    tensor *mine = tensor_full(DIST_F32, 100 * rank + 7, 4), *theirs = tensor_zeros(DIST_F32, 4);
    int right = (rank + 1) % world_size, left = (rank + world_size - 1) % world_size;
    dist_p2p_op ops[] = { { DIST_IRECV, theirs, left, 1, NULL }, { DIST_ISEND, mine, right, 1, NULL } };
    dist_work *works[2];
    dist_batch_isend_irecv(ops, 2, works);
    while (!dist_is_completed(works[0]))
        ;
    dist_wait_all(works, 2);
    for (int i = 0; i < 2; i++)
        ops[i].tensor = tensor_zeros(DIST_F32, 0); /* a message of nothing is one, too */
    dist_batch_isend_irecv(ops, 2, works);
    dist_wait_all(works, 2);
    for (int i = 0; i < 2; i++)
        tensor_free(ops[i].tensor);
    dist_work *sum = dist_all_reduce(mine, .async_op = true);
    dist_span("beside \"it\" %d", rank) {
        tensor_mul_scalar(theirs, 2);
    }
    dist_wait(sum);
    tensor_free(mine);
    tensor_free(theirs);
}

static void mixed(int rank, int world_size)
{
    dist_span("outer") {
        dist_span("inner") {
            exchange(rank, world_size);
        }
        any_source(rank, world_size);
    }
    groups(rank, world_size);
}

/* Three numbers from rank 0 to 1, and as many all_reduces of growing length; the middle one each time goes by the stream. */
static void turns(int rank)
{
    for (int i = 0; i < 6; i++) {
        tensor *x = tensor_full(DIST_F32, i, i < 3 ? 1 : i),
               *y = tensor_to(x, i % 3 == 1 ? DIST_GPU : DIST_HOST);
        if (i < 3 && rank == 0)
            dist_send(y, 1);
        else if (i < 3 && rank == 1)
            dist_recv(x, 0);
        else if (i >= 3)
            dist_all_reduce(y);
        dist_synchronize();
        tensor_free(x);
        tensor_free(y);
    }
}

static void leaving(void)
{
    dist_span("outer") {
        for (int i = 0; i < 3; i++)
            dist_span("left %d", i) {
                dist_barrier();
                break;
            }
    }
    dist_span("after") {
        dist_barrier();
    }
}

static void halves(int rank)
{
    tensor *x = tensor_full(DIST_F32, 0.5, 2);
    dist_broadcast(x, 0);
    dist_span("Gr\xc3\xb6\xc3\x9f\x65 \xff") {
        if (rank == 0)
            tensor_print(x, "%.1f", 0.5);
    }
    tensor *most = tensor_full(DIST_I32, INT32_MAX, 2);
    dist_broadcast(most, 0);
    tensor_free(most);
    tensor_free(x);
}

static void any(int rank)
{
    tensor *x = tensor_zeros(DIST_F32, 4), *y = tensor_to(x, DIST_HOST), *go = tensor_clone(y);
    if (rank == 1) {
        dist_send(x, 0, .tag = 1);
        dist_recv(go, 0);
        dist_send(y, 0);
    } else {
        dist_work *works[] = { dist_irecv(y, 1), dist_irecv(x, 1, .tag = 1) }, *late = works[0];
        dist_wait_any(works, 2);
        dist_span("between") {
            dist_send(go, 1);
        }
        dist_wait(late);
    }
    tensor *made[] = { x, y, go };
    for (int i = 0; i < 3; i++)
        tensor_free(made[i]);
}

static void sums(void)
{
    tensor *x = tensor_full(DIST_F32, 1, 4), *y = tensor_clone(x);
    dist_work *works[] = { dist_all_reduce(x, .async_op = true), dist_all_reduce(y, .async_op = true) };
    while (dist_wait_any(works, 2) >= 0)
        ;
    dist_wait(dist_all_reduce(x, .async_op = true));
    tensor_free(x);
    tensor_free(y);
}

static void cost(void)
{
    enum { MOMENTS = 40, BARRIERS = 200 };
    double least = 1;
    for (int i = 0; i < MOMENTS; i++) {
        double start = dist_time();
        for (int j = 0; j < BARRIERS; j++)
            dist_barrier();
        double each = (dist_time() - start) / BARRIERS;
        least = each < least ? each : least;
    }
    printf("%.1f\n", least * 1e9);
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    if (strcmp(mode, "mixed") == 0)
        mixed(rank, world_size);
    if (strcmp(mode, "break") == 0)
        leaving();
    if (strcmp(mode, "turns") == 0)
        turns(rank);
    if (strcmp(mode, "language") == 0)
        halves(rank);
    if (strcmp(mode, "any") == 0)
        any(rank);
    if (strcmp(mode, "sums") == 0)
        sums();
    if (strcmp(mode, "cost") == 0)
        cost();
    for (int i = 0; i < many; i++)
        dist_barrier();
    if (strcmp(mode, "stuck") == 0) {
        tensor *x = tensor_zeros(DIST_F32, 1);
        dist_span("the last") {
            if (rank == 1) {
                dist_send(x, 0); /* so that rank 0 knows that this span has begun */
                dist_recv(x, 0);
            } else {
                dist_recv(x, 1);
                raise(SIGKILL);
            }
        }
    }
    dist_destroy_process_group();
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "mixed";
    many = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(mode, "language") == 0)
        setlocale(LC_ALL, "");
    return dist_spawn(run, 4);
}
