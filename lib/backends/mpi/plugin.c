/*
 * plugin.c: MPI as a transport: nothing but the calls of MPI-3, for whichever MPI this is compiled with.
 *
 * What MPI calls a request, a communicator or an operation stays here. MPI is asked by one thread at a time.
 */
#define _GNU_SOURCE
#include "../transport/transport.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TYPES 7 /* of dist_base.h: enum dist_type, enum dist_op */
#define OPS 5
#define PIECE ((size_t)1 << 30) /* of a message: MPI counts in int; */
#define MOST (1 << 24)          /* and elements of a collective's block */

/* Open MPI 4.1.4 looks at its sockets at each call only while it knows a peer behind them, and else at each eighth. */
#if defined(OPEN_MPI)
#define LOOKS 8
#else
#define LOOKS 1
#endif
#define AWAY 200e-6 /* seconds: who has not looked for so long does not look again at once */

static struct transport_job plugin_job;
static MPI_Comm plugin_world = MPI_COMM_NULL;
static MPI_Datatype plugin_types[TYPES], plugin_piece;
static MPI_Op plugin_ops[OPS];
static MPI_Request plugin_ear = MPI_REQUEST_NULL, plugin_meeting = MPI_REQUEST_NULL;
static char plugin_note[TRANSPORT_NOTE];
static char plugin_error[MPI_MAX_ERROR_STRING + 64];

/* False: it went wrong, and plugin_error says how. */
static int plugin_good(int code)
{
    int length = 0;
    if (code == MPI_SUCCESS)
        return 1;
    MPI_Error_string(code, plugin_error, &length);
    return 0;
}

/* A request is a pointer in one MPI, a number in the other; so is a communicator. */
static transport_request plugin_number_of(int code, const MPI_Request *request)
{
    return plugin_good(code) ? (transport_request)(intptr_t)*request : 0;
}

static const char *plugin_words(void)
{
    return plugin_error;
}

#include "collect.inc.h"

/* ---- joining and leaving ------------------------------------------------------------------------ */

/* Without its launcher an MPI makes a world of one rank, without a word. */
static int plugin_is_the_job(char *why, size_t why_size)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == plugin_job.rank && size == plugin_job.size)
        return 1;
    snprintf(
        why, why_size,
        "MPI says that this is rank %d of %d, and the launcher that it is rank %d of %d; start the program "
        "with the mpirun of the same MPI",
        rank, size, plugin_job.rank, plugin_job.size);
    return 0;
}

static int plugin_open(const struct transport_job *job, char *why, size_t why_size)
{
    int given = MPI_THREAD_SINGLE, there = 0;
    plugin_job = *job;
    MPI_Initialized(&there);
    if (there || MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS ||
        given < MPI_THREAD_SERIALIZED) {
        snprintf(why, why_size,
                 there ? "the program has started MPI itself; leave MPI_Init and MPI_Finalize to the "
                         "library, or take BACKEND=gloo"
                       : "this MPI was built without threads (MPI_THREAD_SERIALIZED); take BACKEND=gloo, or "
                         "another MPI");
        return 1;
    }
    if (!plugin_is_the_job(why, why_size))
        return 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (plugin_make_world() && plugin_make_types())
        return 0;
    snprintf(why, why_size, "%.200s", plugin_error);
    return 1;
}

static int plugin_meet(void)
{
    int there = 0;
    if (plugin_meeting == MPI_REQUEST_NULL && !plugin_good(MPI_Ibarrier(plugin_world, &plugin_meeting)))
        return -1;
    return plugin_good(MPI_Test(&plugin_meeting, &there, MPI_STATUS_IGNORE)) ? there : -1;
}

/* MPICH 4.0's MPI_Finalize hangs now and then where ranks outnumber cores (pmodels/mpich 6596). All have met: a rank that ends
 * without it leaves nothing behind. Its mpirun is told, in the words of PMI-1, that this end is meant: else it might kill the
 * others. */
#if !defined(OPEN_MPI)
static void plugin_tell_launcher(void)
{
    char answer[64];
    static const char name[] = "PMI_FD"; /* the launcher's, no setting of ours */
    const char *text = getenv(name);
    int fd = text ? atoi(text) : -1;
    if (fd < 0 || write(fd, "cmd=finalize\n", 13) != 13)
        return;
    while (read(fd, answer, sizeof answer) == (ssize_t)sizeof answer)
        ;
}
#endif

static void plugin_close(void)
{
#if defined(OPEN_MPI)
    if (plugin_ear != MPI_REQUEST_NULL)
        MPI_Cancel(&plugin_ear);
    MPI_Wait(&plugin_ear, MPI_STATUS_IGNORE);
    MPI_Finalize();
#else
    plugin_tell_launcher();
#endif
}

/* ---- messages ------------------------------------------------------------------------------------ */

/* More than an int counts: in a type of pieces, and the rest. */
static int plugin_sized(size_t bytes, int *count, MPI_Datatype *type)
{
    MPI_Datatype types[2] = { plugin_piece, MPI_BYTE };
    int lengths[2] = { (int)(bytes / PIECE), (int)(bytes % PIECE) };
    MPI_Aint places[2] = { 0, (MPI_Aint)(bytes / PIECE * PIECE) };
    *count = bytes <= INT_MAX ? (int)bytes : 1;
    *type = MPI_BYTE;
    return bytes <= INT_MAX || (plugin_good(MPI_Type_create_struct(2, lengths, places, types, type)) &&
                                plugin_good(MPI_Type_commit(type)));
}

enum start { SENDS, OFFERS, RECEIVES };
static transport_request plugin_start(void *data, size_t bytes, int peer, uint64_t to_tag, enum start what)
{
    MPI_Request request;
    MPI_Datatype type;
    int count, tag = (int)to_tag;
    if (!plugin_sized(bytes, &count, &type))
        return 0;
    int code = what == SENDS    ? MPI_Isend(data, count, type, peer, tag, plugin_world, &request)
               : what == OFFERS ? MPI_Issend(data, count, type, peer, tag, plugin_world, &request)
                                : MPI_Irecv(data, count, type, peer, tag, plugin_world, &request);
    transport_request number = plugin_number_of(code, &request);
    if (type != MPI_BYTE)
        MPI_Type_free(&type);
    return number;
}

static int plugin_test(transport_request *number)
{
    MPI_Request request = (MPI_Request)(intptr_t)*number;
    int done = 0;
    if (!plugin_good(MPI_Test(&request, &done, MPI_STATUS_IGNORE)))
        return -1;
    *number = (transport_request)(intptr_t)request;
    return done;
}

/* Both MPIs have mostly done with a note when MPI_Isend returns: to ask then costs nothing, and later a look at all sockets. */
static transport_request plugin_send(const void *data, size_t bytes, int peer, uint64_t tag)
{
    transport_request request =
        plugin_start((void *)(uintptr_t)data, bytes, peer, tag, SENDS); /* MPI only reads it */
    int done = tag == TRANSPORT_NOTES && request ? plugin_test(&request) : 0;
    return done < 0 ? 0 : done > 0 ? TRANSPORT_SENT : request;
}

static transport_request plugin_offer(const void *data, size_t bytes, int peer, uint64_t tag, int *meets)
{
    (void)meets; /* MPI does not say */
    return plugin_start((void *)(uintptr_t)data, bytes, peer, tag, OFFERS);
}

static transport_request plugin_recv(void *data, size_t bytes, int peer, uint64_t tag)
{
    return plugin_start(data, bytes, peer, tag, RECEIVES);
}

/* So often in a row: a rank that waits looks again and again. With more ranks than cores each call gives way to all of them, and
 * between eight it would not see what a rank of its machine says. */
static int plugin_looks(void)
{
    static double last;
    double then = last;
    if (LOOKS > 1)
        last = MPI_Wtime();
    return last - then < AWAY ? 1 : LOOKS;
}

/* The ear listens anew at the next look: then a rank mostly waits, and until then what it has heard is more urgent. */
static int plugin_hear(void *buffer, int *from)
{
    MPI_Status status;
    int done = 0, bytes = 0;
    if (plugin_ear == MPI_REQUEST_NULL &&
        !plugin_good(MPI_Irecv(plugin_note, sizeof plugin_note, MPI_BYTE, MPI_ANY_SOURCE, TRANSPORT_NOTES,
                               plugin_world, &plugin_ear)))
        return -1;
    for (int left = plugin_looks(); left > 0 && !done; left--)
        if (!plugin_good(MPI_Test(&plugin_ear, &done, &status)))
            return -1;
    if (!done)
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    memcpy(buffer, plugin_note, (size_t)bytes);
    *from = status.MPI_SOURCE;
    return bytes;
}

extern const struct transport dist_transport;
const struct transport dist_transport = {
    .version = TRANSPORT_VERSION,
    .most = MOST,
    .open = plugin_open,
    .meet = plugin_meet,
    .close = plugin_close,
    .send = plugin_send,
    .offer = plugin_offer,
    .recv = plugin_recv,
    .collect = plugin_collect,
    .test = plugin_test,
    .hear = plugin_hear,
    .group_new = plugin_group_new,
    .group_free = plugin_group_free,
    .error = plugin_words,
};
