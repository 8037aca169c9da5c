/* test_misuse_streams.c: streams, events and devices, used as they must not be. */
#define _GNU_SOURCE
#include "misuse_test.h"

#include <unistd.h>

/* ---- streams --------------------------------------------------------------------------- */

MISUSE(use_of_a_freed_stream, 1, DIST_ERR_ARGUMENT, "dist_stream_use", "rank 0: ", "stream was freed")
{
    dist_stream *stream = dist_stream_new();
    dist_stream_free(stream);
    dist_stream_use(stream);
}

MISUSE(use_of_a_freed_stream_when_there_is_a_new_one, 1, DIST_ERR_ARGUMENT, "dist_stream_use",
       "stream was freed")
{
    dist_stream *stream = dist_stream_new();
    dist_stream_free(stream);
    dist_stream_new();
    dist_stream_use(stream);
}

MISUSE(a_stream_freed_twice, 2, DIST_ERR_ARGUMENT, "dist_stream_free", "rank 1: ", "stream was freed")
{
    dist_stream *stream = dist_stream_new();
    dist_stream_free(stream);
    if (rank == 1)
        dist_stream_free(stream);
}

MISUSE(synchronizing_a_freed_stream, 1, DIST_ERR_ARGUMENT, "dist_stream_synchronize", "freed")
{
    dist_stream *stream = dist_stream_new();
    dist_stream_free(stream);
    dist_stream_synchronize(stream);
}

MISUSE(freeing_the_current_stream, 1, DIST_ERR_STATE, "dist_stream_free", "current", "dist_stream_use(NULL)")
{
    dist_stream *stream = dist_stream_new();
    dist_stream_use(stream);
    dist_stream_free(stream);
}

MISUSE(freeing_the_default_stream, 1, DIST_ERR_STATE, "dist_stream_free", "default stream")
{
    dist_stream *stream = dist_stream_new();
    dist_stream *usual = dist_stream_use(stream);
    dist_stream_free(usual);
}

MISUSE(too_many_streams, 2, DIST_ERR_MEMORY, "dist_stream_new", "rank 0: ", "at most 16", "free")
{
    for (int i = 0; rank == 0 && i < 16; i++)
        dist_stream_new();
}

/* ---- events ------------------------------------------------------------------------------ */

MISUSE(waiting_for_a_freed_event, 1, DIST_ERR_ARGUMENT, "dist_event_wait", "event was freed")
{
    dist_event *event = dist_event_record();
    dist_event_free(event);
    dist_event_wait(event);
}

MISUSE(an_event_freed_twice, 2, DIST_ERR_ARGUMENT, "dist_event_free", "rank 1: ", "event was freed")
{
    dist_event *event = dist_event_record();
    dist_event_free(event);
    if (rank == 1)
        dist_event_free(event);
}

MISUSE(an_event_that_is_null, 1, DIST_ERR_ARGUMENT, "dist_event_passed", "event is NULL", "dist_event_record")
{
    dist_event_passed(NULL);
}

MISUSE(time_from_a_freed_event, 1, DIST_ERR_ARGUMENT, "dist_event_elapsed", "event was freed")
{
    dist_event *from = dist_event_record(), *to = dist_event_record();
    dist_event_free(from);
    dist_event_elapsed(from, to);
}

/* ---- what belongs to another rank: only threads can get hold of it ------------------------------- */

static dist_stream *_Atomic lent_stream;
static dist_event *_Atomic lent_event;
static tensor *_Atomic lent_tensor;

/* Rank 0 lends, rank 1 uses; both get there. */
static void lend(int rank)
{
    dist_init_process_group();
    if (rank == 0) {
        dist_set_device(DIST_GPU);
        lent_stream = dist_stream_new();
        lent_event = dist_event_record();
        lent_tensor = tensor_full(DIST_F32, 1, 4);
    }
    dist_barrier();
}

static void use_lent_stream(int rank, int size)
{
    (void)size;
    lend(rank);
    if (rank == 1)
        dist_stream_use(lent_stream);
    dist_destroy_process_group();
}

static void use_lent_event(int rank, int size)
{
    (void)size;
    lend(rank);
    if (rank == 1)
        dist_event_wait(lent_event);
    dist_destroy_process_group();
}

static void use_lent_tensor(int rank, int size)
{
    (void)size;
    lend(rank);
    if (rank == 1)
        tensor_fill(lent_tensor, 2);
    dist_destroy_process_group();
}

static void send_lent_tensor(int rank, int size)
{
    (void)size;
    lend(rank);
    if (rank == 1)
        dist_send(lent_tensor, 0);
    dist_destroy_process_group();
}

static void expect_threads(void (*run)(int rank, int size), const char *call, const char *words)
{
    const char *const all[] = { "rank 1: ", words, NULL };
    misuse_expect_once(
        (struct misuse){ run, 2, DIST_ERR_ARGUMENT, __FILE__, call, all, "DIST_RANKS=threads", "sim" });
}

Test(misuse, what_belongs_to_another_rank, .timeout = 60)
{
    expect_threads(use_lent_stream, "dist_stream_use", "this rank made no such stream");
    expect_threads(use_lent_event, "dist_event_wait", "another rank recorded the event");
    expect_threads(use_lent_tensor, "tensor_fill", "lies on the GPU of another rank");
    expect_threads(send_lent_tensor, "dist_send", "out of their reach");
}

/* ---- devices ------------------------------------------------------------------------------- */

MISUSE(a_device_that_is_none, 2, DIST_ERR_ARGUMENT, "dist_set_device", "rank 0: ", "DIST_HOST or DIST_GPU")
{
    if (rank == 0)
        dist_set_device((enum dist_device)7);
}

MISUSE(one_tensor_here_and_one_there, 1, DIST_ERR_ARGUMENT, "tensor_add", "host", "GPU", "tensor_to")
{
    tensor_add(tensor_to(x, DIST_GPU), tensor_to(x, DIST_HOST));
}

MISUSE(a_collective_from_here_to_there, 2, DIST_ERR_ARGUMENT, "dist_all_gather", "input lies on the",
       "tensor_to")
{
    dist_set_device(DIST_HOST);
    dist_all_gather(tensor_zeros(DIST_F32, 8), tensor_to(x, DIST_GPU));
}

/* The batch waits for what was posted before, and so hears of it: no entry of the batch is wrong. */
MISUSE(a_receive_of_which_a_batch_hears, 2, DIST_ERR_MISMATCH, "dist_recv", "): rank 0 sends 5 elements",
       "room for exactly 3")
{
    dist_set_device(DIST_HOST);
    tensor *host = tensor_zeros(DIST_F32, 4);
    dist_set_device(DIST_GPU);
    tensor *five = tensor_zeros(DIST_F32, 5), *three = tensor_zeros(DIST_F32, 3);
    dist_work *work;
    if (rank == 0) {
        usleep(100000);
        dist_send(five, 1);
        dist_recv(five, 1);
    } else {
        dist_recv(three, 0);
        dist_isend(five, 0);
        dist_batch_isend_irecv((dist_p2p_op[]){ { .kind = DIST_ISEND, .tensor = host, .peer = 0 } }, 1,
                               &work);
    }
    dist_synchronize();
}

static void idle(int rank, int size)
{
    (void)rank, (void)size;
}

static void expect_environment(const char *setting, const char *device, const char *words)
{
    const char *const all[] = { words, NULL };
    misuse_expect_once(
        (struct misuse){ idle, 2, DIST_ERR_ENVIRONMENT, NULL, "dist_spawn", all, setting, device });
}

Test(misuse, a_device_or_link_of_another_kind, .timeout = 60)
{
    expect_environment("DIST_RANKS=processes", "abacus", "DEVICE is \"abacus\"");
    expect_environment("DIST_RANKS=threads", "abacus", "DEVICE is \"abacus\"");
    expect_environment("DIST_SIM=string", "sim", "DIST_SIM is \"string\"");
    expect_environment("DIST_SIM=5:", "sim", "LATENCY:BANDWIDTH");
    expect_environment("DIST_SIM=5:-1", "sim", "LATENCY:BANDWIDTH");
    expect_environment("DIST_SIM=5:1e-9", "sim", "LATENCY:BANDWIDTH");
    expect_environment("DIST_CONNECT=never", "sim", "DIST_CONNECT is \"never\"");
}
