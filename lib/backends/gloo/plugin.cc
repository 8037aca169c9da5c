// plugin.cc: Gloo as a transport: TCP between all ranks, over its unbound buffers.
//
// Gloo's own thread reads and writes the sockets, and wakes the rank, which then looks whether what it waits for is over. Gloo means a
// program to wait for each buffer, in a thread; the classes derived from its own (mesh.inc.h) ask without waiting. So no byte passes
// through more threads than with Gloo called directly.
//
// Gloo sends nothing before the receiver has said that it is ready. So for AHEAD notes of each peer there is a place beforehand, and a
// note goes at once.
//
// No exception of Gloo's leaves this file.
#include "../transport/transport.h"

#include <gloo/transport/tcp/address.h>
#include <gloo/transport/tcp/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/tcp/pair.h>
#include <gloo/transport/tcp/unbound_buffer.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <thread>

namespace
{

namespace tcp = gloo::transport::tcp;

constexpr int AHEAD = 4; // notes that a peer may send before the first is read
constexpr auto EVER = std::chrono::hours(24 * 365);
constexpr auto JOIN = std::chrono::seconds(60);
constexpr int GRACE = 1000; // looks, 10 ms apart: of a rank that dies meanwhile its launcher is about to tell, in better words

// Of Gloo's thread, for the rank, and not gone before that thread is.
std::atomic<uint32_t> mesh_news{ 0 }; // how often something was over
void (*mesh_wake)(void);

#include "mesh.inc.h"

using buffer = std::unique_ptr<memory>;

struct note {
    uint32_t bytes;
    char data[TRANSPORT_NOTE];
};
constexpr size_t NOTE_HEAD = offsetof(note, data);

// Where the notes of one peer come in, one after the other.
struct ear {
    note places[AHEAD];
    int next; // the place that is filled next
    buffer whole;
};

struct request {
    buffer data; // of a collective: none
    bool sends;
    std::unique_ptr<char[]> copy; // of a note that is sent
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
    std::shared_ptr<context> all;
    std::vector<std::unique_ptr<ear>> ears; // of each rank; none for its own
    size_t listens = 0;                     // to which it listened last
    int heard_from = -1;                    // whose note was the last; its place is not free yet
    uint32_t heard = 0;                     // mesh_news, when nobody had sent any
    std::mutex lock;
    bool closing = false;
    std::atomic<bool> failed{ false };
    char error[256] = "";
};
mesh *job_mesh; // never destroyed by exit(), at which threads of collectives may still wait

// Gloo writes to connections that the other side has closed. Here that is an error, not the end of the process: the SIGPIPE that comes of
// it is taken back. Gloo does not always throw then; so it is looked for each time.
struct quiet {
    sigset_t before, pipe;
    quiet()
    {
        sigemptyset(&pipe);
        sigaddset(&pipe, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe, &before);
    }
    ~quiet()
    {
        const struct timespec now = {};
        if (!sigismember(&before, SIGPIPE))
            while (sigtimedwait(&pipe, nullptr, &now) < 0 && errno == EINTR)
                ;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
};

// False: it threw, and that is why the mesh has failed.
template <class work> bool succeeds(work calls_gloo)
{
    try {
        calls_gloo();
        return true;
    } catch (const std::exception &e) {
        mesh *m = job_mesh;
        std::lock_guard<std::mutex> guard(m->lock);
        if (!m->failed && !m->closing) {
            snprintf(m->error, sizeof m->error, "Gloo: %s", e.what());
            m->failed = true; // last: it is read without the lock
        }
        return false;
    }
}

// Of a call that has found nothing to tell.
int nothing_yet()
{
    return job_mesh->failed ? -1 : 0;
}

// ---- joining and leaving -----------------------------------------------------------------------------

buffer buffer_of(const void *data, size_t bytes)
{
    return buffer(new memory(job_mesh->all, const_cast<void *>(data), bytes));
}

void expect_note(ear *e, int from)
{
    e->whole->recv(from, TRANSPORT_NOTES, static_cast<size_t>(e->next) * sizeof(note), sizeof(note));
    e->next = (e->next + 1) % AHEAD;
}

void join(mesh *m)
{
    tcp::attr where(m->job.address);
    auto device = std::static_pointer_cast<tcp::Device>(tcp::CreateDevice(where));
    m->all = std::make_shared<context>(device, m->job.rank, m->job.size);
    m->all->setTimeout(JOIN);
    m->world.rank = m->job.rank;
    m->world.slots = uint64_t{ 1 } << 32;
    for (int i = 0; i < m->job.size; i++)
        m->world.ranks.push_back(i);
    connect(m->job, m->all.get());
    m->ears.resize(static_cast<size_t>(m->job.size));
    for (int from = 0; from < m->job.size; from++) {
        if (from == m->job.rank)
            continue;
        ear *e = new ear();
        m->ears[static_cast<size_t>(from)].reset(e);
        e->whole = buffer_of(e->places, sizeof e->places);
        for (int i = 0; i < AHEAD; i++)
            expect_note(e, from);
    }
}

int plugin_open(const transport_job *job, char *why, size_t why_size)
{
    quiet hush;
    try {
        job_mesh = new mesh();
        job_mesh->job = *job;
        mesh_wake = job->wake;
        join(job_mesh);
        return 0;
    } catch (const std::exception &e) {
        snprintf(why, why_size, "Gloo could not connect the ranks: %.200s", e.what());
        // It has no address here, or no more files: that is the whole story.
        bool own = !job_mesh || !job_mesh->all || strstr(e.what(), strerror(EMFILE));
        for (int i = 0; !own && i < GRACE && !job->over(); i++)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        return 1;
    }
}

// Each rank counts itself once, in the last word of its bootstrap memory: so nobody needs a connection that another closes.
int plugin_meet()
{
    const transport_job &job = job_mesh->job;
    auto last = [&job](int rank) {
        return reinterpret_cast<uint64_t *>(job.bootstrap + (static_cast<size_t>(rank) + 1) * job.bootstrap_bytes) -
               1;
    };
    __atomic_store_n(last(job.rank), 1, __ATOMIC_RELEASE);
    for (int i = 0; i < job.size; i++)
        if (__atomic_load_n(last(i), __ATOMIC_ACQUIRE) == 0)
            return 0;
    return 1;
}

void plugin_close()
{
    quiet hush;
    mesh *m = job_mesh;
    {
        std::lock_guard<std::mutex> guard(m->lock);
        m->closing = true;
    }
    delete m;
    job_mesh = nullptr;
}

#include "messages.inc.h"

#include "collect.inc.h"

} // namespace

extern "C" {
extern const struct transport dist_transport;
const struct transport dist_transport = {
    TRANSPORT_VERSION, 1,           INT64_MAX,        1,
    plugin_open,       plugin_meet, plugin_close,     plugin_send,
    plugin_offer,      plugin_recv, plugin_forget,    plugin_collect,
    plugin_test,       plugin_hear, plugin_group_new, plugin_group_free,
    plugin_error,
};
}
