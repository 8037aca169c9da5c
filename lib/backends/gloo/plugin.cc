// plugin.cc: Gloo as a transport: TCP between all ranks, over its unbound buffers.
//
// Gloo's waits block, and a wait that times out closes the connections. So two threads wait: the ear, for notes, which it puts into a
// queue for hear(); and the waiter, for what is under way, one after the other. The ear listens always, and data are sent when their
// receiver expects them: so whatever the waiter waits for ends without the program's doing, and none holds up another for long.
//
// Gloo sends nothing before the receiver has said that it is ready. So the ear says so beforehand: for AHEAD notes of each peer there is
// a place, and a note goes at once; a receive from anybody would cost a question and an answer for each.
//
// Both sides of a message must name the same number of bytes, or Gloo ends the process: so notes are all of one size.
//
// No exception of Gloo's leaves this file.
#include "../transport/transport.h"

#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>

namespace {

constexpr size_t NOTE = 2048; // bytes of data in a note, at most
constexpr int AHEAD = 4;      // notes that a peer may send before the first is read
constexpr auto EVER = std::chrono::hours(24 * 365);
constexpr auto JOIN = std::chrono::seconds(60);
constexpr auto GRACE = std::chrono::seconds(10); // until a lost connection is told, unless the job has failed by then: of a dead rank

using buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
using steady = std::chrono::steady_clock;

struct note {
    uint32_t bytes;
    int32_t from;
    char data[NOTE];
    uint32_t whole; // 1: the last that comes
};

struct ear {
    std::vector<note> places;    // AHEAD for each rank, its own stay empty
    std::vector<int> next, full; // of each rank: the place that is filled next, and how many are full from there
    buffer memory;               // all places
    std::thread thread;
    note *place(size_t from, int i) // i: how many come before it
    {
        return &places[from * AHEAD + static_cast<size_t>((next[from] + i) % AHEAD)];
    }
};

struct request {
    buffer memory;
    bool sends;
    std::unique_ptr<note> copy; // of a note that is sent
    std::atomic<bool> done{ false };
};

struct group {
    std::vector<int> ranks;
    int rank = 0; // the caller's place
    uint64_t slots = 0;
    uint32_t seq = 0;
};

struct mesh {
    transport_job job;
    group world;
    std::shared_ptr<gloo::rendezvous::Context> context;
    struct ear ear;
    std::thread waiter;
    std::mutex lock;
    std::condition_variable wanted;
    std::deque<note> notes;
    std::deque<request *> flights;
    bool closing = false;
    std::atomic<bool> failed{ false };
    steady::time_point failed_at;
    char error[256] = "";
};
mesh *job_mesh; // never destroyed by exit(), at which its threads may still wait

// Gloo writes to connections that the other side has closed. Here that is an error, not the end of the process: a SIGPIPE that comes of it
// is taken back. Threads that are started meanwhile never see one.
struct quiet {
    sigset_t before, pipe, pending;
    quiet()
    {
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        sigpending(&pending);
        pthread_sigmask(SIG_BLOCK, &pipe, &before);
    }
    ~quiet()
    {
        const struct timespec now = {};
        if (!sigismember(&pending, SIGPIPE))
            while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR)
                ;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
};

void fail(mesh *m, const char *what)
{
    std::lock_guard<std::mutex> guard(m->lock);
    if (m->failed || m->closing)
        return;
    m->failed_at = steady::now();
    snprintf(m->error, sizeof m->error, "Gloo: %s", what);
    m->failed = true; // last: it is read without the lock
}

// Whose connection ends has died, and the launcher is about to say so, in better words.
int failure(mesh *m)
{
    return m->failed && steady::now() > m->failed_at + GRACE ? -1 : 0;
}

// ---- the two threads -----------------------------------------------------------------------------

#include "ear.inc.h"

request *next_flight(mesh *m)
{
    std::unique_lock<std::mutex> guard(m->lock);
    m->wanted.wait(guard, [m] { return m->closing || !m->flights.empty(); });
    if (m->flights.empty())
        return nullptr;
    request *next = m->flights.front();
    m->flights.pop_front();
    return next;
}

void wait_for_flights(mesh *m)
{
    try {
        while (request *r = next_flight(m)) {
            if (r->sends)
                r->memory->waitSend(nullptr, EVER);
            else
                r->memory->waitRecv(nullptr, EVER);
            r->done = true;
            m->job.wake();
        }
    } catch (const std::exception &e) {
        fail(m, e.what());
    }
}

// ---- joining and leaving -----------------------------------------------------------------------------

#include "board.inc.h"

void join(mesh *m)
{
    auto store = std::make_shared<board_store>(m->job);
    gloo::transport::tcp::attr where(m->job.address);
    auto device = gloo::transport::tcp::CreateDevice(where);
    m->context = std::make_shared<gloo::rendezvous::Context>(m->job.rank, m->job.size);
    m->context->setTimeout(JOIN);
    m->world.rank = m->job.rank;
    m->world.slots = uint64_t{ 1 } << 32;
    for (int i = 0; i < m->job.size; i++)
        m->world.ranks.push_back(i);
    if (m->job.size == 1) // a mesh of one: nothing will be sent
        return;
    connect(*m->context, store, device, 0);
    size_t size = static_cast<size_t>(m->job.size);
    m->ear.places.resize(size * AHEAD);
    m->ear.next.resize(size);
    m->ear.full.resize(size);
    m->ear.memory = m->context->createUnboundBuffer(m->ear.places.data(), m->ear.places.size() * sizeof(note));
    for (size_t from = 0; from < size; from++)
        for (int i = 0; i < AHEAD && from != static_cast<size_t>(m->job.rank); i++)
            expect_note(&m->ear, from, i);
    m->ear.thread = std::thread(listen, m);
    m->waiter = std::thread(wait_for_flights, m);
}

int plugin_open(const transport_job *job, char *why, size_t why_size)
{
    quiet hush;
    try {
        job_mesh = new mesh();
        job_mesh->job = *job;
        join(job_mesh);
        return 0;
    } catch (const std::exception &e) {
        snprintf(why, why_size, "Gloo could not connect the ranks: %.200s", e.what());
        return 1;
    }
}

// Each rank counts itself once, in the last word of its place on the board: so nobody needs a connection that another closes.
int plugin_meet()
{
    const transport_job &job = job_mesh->job;
    auto last = [&job](int rank) {
        return reinterpret_cast<uint64_t *>(job.board + (static_cast<size_t>(rank) + 1) * job.board_bytes) - 1;
    };
    __atomic_store_n(last(job.rank), 1, __ATOMIC_RELEASE);
    for (int i = 0; i < job.size; i++)
        if (__atomic_load_n(last(i), __ATOMIC_ACQUIRE) == 0)
            return 0;
    return 1;
}

void plugin_close()
{
    mesh *m = job_mesh;
    {
        std::lock_guard<std::mutex> guard(m->lock);
        m->closing = true;
    }
    m->wanted.notify_all();
    if (m->ear.thread.joinable()) {
        m->ear.memory->abortWaitRecv();
        m->ear.thread.join();
        m->waiter.join();
    }
    try {
        m->ear.memory.reset();
        delete m;
    } catch (const std::exception &) {
        // all have met: nobody is left whom this could concern
    }
    job_mesh = nullptr;
}

// ---- messages --------------------------------------------------------------------------------------------

transport_request begin(request *r, void *data, size_t bytes, int peer, int tag)
{
    mesh *m = job_mesh;
    quiet hush;
    std::unique_ptr<request> owner(r);
    try {
        r->memory = m->context->createUnboundBuffer(data, bytes);
        if (r->sends)
            r->memory->send(peer, static_cast<uint64_t>(tag));
        else
            r->memory->recv(peer, static_cast<uint64_t>(tag));
    } catch (const std::exception &e) {
        fail(m, e.what());
        return reinterpret_cast<transport_request>(owner.release()); // is never done; test() tells
    }
    {
        std::lock_guard<std::mutex> guard(m->lock);
        m->flights.push_back(r);
    }
    m->wanted.notify_all();
    return reinterpret_cast<transport_request>(owner.release());
}

transport_request plugin_send(const void *data, size_t bytes, int peer, int tag)
{
    auto *r = new (std::nothrow) request();
    if (!r || (tag == TRANSPORT_NOTES && bytes > NOTE))
        return delete r, 0;
    r->sends = true;
    if (tag != TRANSPORT_NOTES)
        return begin(r, const_cast<void *>(data), bytes, peer, tag);
    r->copy.reset(new (std::nothrow) note());
    if (!r->copy)
        return delete r, 0;
    r->copy->bytes = static_cast<uint32_t>(bytes);
    r->copy->from = job_mesh->job.rank;
    r->copy->whole = 1;
    memcpy(r->copy->data, data, bytes);
    return begin(r, r->copy.get(), sizeof *r->copy, peer, tag);
}

transport_request plugin_recv(void *data, size_t bytes, int peer, int tag)
{
    auto *r = new (std::nothrow) request();
    if (!r)
        return 0;
    r->sends = false;
    return begin(r, data, bytes, peer, tag);
}

int plugin_test(transport_request *number)
{
    auto *r = reinterpret_cast<request *>(*number);
    if (!r->done)
        return failure(job_mesh);
    delete r;
    *number = 0;
    return 1;
}

int plugin_hear(void *data, size_t size, int *from)
{
    mesh *m = job_mesh;
    std::lock_guard<std::mutex> guard(m->lock);
    if (m->notes.empty())
        return failure(m);
    const note &first = m->notes.front();
    int bytes = static_cast<int>(first.bytes);
    memcpy(data, first.data, first.bytes < size ? first.bytes : size);
    *from = first.from;
    m->notes.pop_front();
    return bytes;
}

const char *plugin_error()
{
    return job_mesh && *job_mesh->error ? job_mesh->error : "there is no memory";
}

#include "collect.inc.h"

} // namespace

extern "C" {
extern const struct transport dist_transport;
const struct transport dist_transport = {
    TRANSPORT_VERSION, 2, plugin_open, plugin_meet,
    plugin_close,      plugin_send, plugin_recv,
    plugin_collect,    plugin_test, plugin_hear,
    plugin_group_new, plugin_group_free, plugin_error,
};
}
