// bench_gloo.cc: Gloo, measured in the same way: its collectives and its unbound buffers over TCP on the loopback, which is
// all that Debian's build of it has for one machine. WORLD_SIZE ranks are forked here; they meet through files. Over several hosts
// (hosts.sh) this is one rank, BENCH_RANK; it listens at BENCH_ADDRESS, and the files are in BENCH_FOLDER.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/gather.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/scatter.h>
#include <gloo/transport/tcp/device.h>

#include "bench.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static std::shared_ptr<gloo::rendezvous::Context> context;

// A message needs what Gloo calls an unbound buffer. It is made once, as a program would that sends the same tensor often.
struct memory {
    std::unique_ptr<gloo::transport::UnboundBuffer> unbound;
    std::unique_ptr<float[]> floats; // of a view: none
    bool sends = false;              // what it was started for last
};

static memory &memory_of(void *own)
{
    return *static_cast<memory *>(own);
}

static void make(struct buffer *buffer, float *x, long count, std::unique_ptr<float[]> floats)
{
    buffer->x = x;
    buffer->count = count;
    buffer->own = new memory{ context->createUnboundBuffer(x, count * sizeof(float)), std::move(floats) };
}

void side_new(struct buffer *buffer, long count)
{
    auto floats = std::make_unique<float[]>(count);
    float *x = floats.get();
    make(buffer, x, count, std::move(floats));
}

void side_view(struct buffer *view, const struct buffer *whole, long from, long count)
{
    make(view, whole->x + from, count, nullptr);
}

void side_free(struct buffer *buffer)
{
    delete &memory_of(buffer->own);
}

side_request side_isend(struct buffer *buffer, int to, int tag)
{
    memory &memory = memory_of(buffer->own);
    memory.sends = true;
    memory.unbound->send(to, tag);
    return { &memory };
}

side_request side_irecv(struct buffer *buffer, int from, int tag)
{
    memory &memory = memory_of(buffer->own);
    std::vector<int> ranks;
    for (int rank = 0; rank < context->size; rank++)
        if (rank != context->rank && (from == rank || from == SIDE_ANYBODY))
            ranks.push_back(rank);
    memory.sends = false;
    memory.unbound->recv(ranks, tag);
    return { &memory };
}

void side_wait_all(side_request *requests, int count)
{
    for (int i = 0; i < count; i++) {
        memory &memory = memory_of(requests[i].own);
        if (memory.sends)
            memory.unbound->waitSend();
        else
            memory.unbound->waitRecv();
    }
}

void side_send(struct buffer *buffer, int to)
{
    side_request request = side_isend(buffer, to, 0);
    side_wait_all(&request, 1);
}

void side_recv(struct buffer *buffer, int from)
{
    memory &memory = memory_of(buffer->own);
    memory.unbound->recv(from, 0);
    memory.unbound->waitRecv();
}

void side_barrier(void)
{
    gloo::BarrierOptions options(context);
    gloo::barrier(options);
}

void side_broadcast(struct buffer *out, struct buffer *, int root)
{
    gloo::BroadcastOptions options(context);
    options.setOutput(out->x, out->count);
    options.setRoot(root);
    gloo::broadcast(options);
}

void side_all_reduce(struct buffer *out, struct buffer *, int)
{
    gloo::AllreduceOptions options(context);
    void (*sum)(void *, const void *, const void *, size_t) = &gloo::sum<float>;
    options.setOutput(out->x, out->count);
    options.setReduceFunction(sum);
    gloo::allreduce(options);
}

void side_all_gather(struct buffer *out, struct buffer *in, int)
{
    gloo::AllgatherOptions options(context);
    options.setInput(in->x, in->count);
    options.setOutput(out->x, out->count);
    gloo::allgather(options);
}

void side_reduce_scatter(struct buffer *, struct buffer *, int)
{
    bench_has_not();
}

void side_all_to_all(struct buffer *out, struct buffer *in, int)
{
    gloo::AlltoallOptions options(context);
    options.setInput(in->x, in->count);
    options.setOutput(out->x, out->count);
    gloo::alltoall(options);
}

void side_scatter(struct buffer *out, struct buffer *in, int root)
{
    gloo::ScatterOptions options(context);
    std::vector<float *> blocks;
    for (int r = 0; r < context->size && context->rank == root; r++)
        blocks.push_back(in->x + r * out->count);
    if (context->rank == root)
        options.setInputs(blocks, out->count);
    options.setOutput(out->x, out->count);
    options.setRoot(root);
    gloo::scatter(options);
}

void side_gather(struct buffer *out, struct buffer *in, int root)
{
    gloo::GatherOptions options(context);
    options.setInput(in->x, in->count);
    if (context->rank == root)
        options.setOutput(out->x, out->count);
    options.setRoot(root);
    gloo::gather(options);
}

// It has no groups, and no collective in the background.
void side_in_group(int inside)
{
    if (inside)
        bench_has_not();
}

side_request side_iall_reduce(struct buffer *)
{
    bench_has_not();
    return {};
}

static void run(int rank, int size, const char *folder)
{
    const char *address = getenv("BENCH_ADDRESS");
    gloo::transport::tcp::attr where(address ? address : "127.0.0.1");
    gloo::rendezvous::FileStore store(folder);
    auto device = gloo::transport::tcp::CreateDevice(where);
    context = std::make_shared<gloo::rendezvous::Context>(rank, size);
    context->setTimeout(std::chrono::seconds(60));
    context->connectFullMesh(store, device);
    bench_run(rank, size);
    side_barrier();
    fflush(stdout);
    context.reset();
}

// The first rank that fails ends all.
static int watch(const std::vector<pid_t> &ranks)
{
    int result = 0, status;
    while (wait(&status) > 0) {
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
        if (code == 0 || result != 0)
            continue;
        result = code;
        for (pid_t rank : ranks)
            kill(rank, SIGKILL);
    }
    return result;
}

int main(int argc, char **argv)
{
    bench_ask(argc, argv);
    const char *wanted = getenv("WORLD_SIZE");
    int size = wanted ? atoi(wanted) : 2;
    if (const char *rank = getenv("BENCH_RANK")) {
        run(atoi(rank), size, getenv("BENCH_FOLDER"));
        return 0;
    }
    char folder[] = "build/bench/gloo.XXXXXX"; // bench.sh removes what a rank that was killed leaves there
    if (!mkdtemp(folder))
        return perror("mkdtemp"), 1;
    std::vector<pid_t> ranks;
    for (int rank = 0; rank < size; rank++) {
        pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            run(rank, size, folder);
            _exit(0);
        }
        ranks.push_back(child);
    }
    int result = watch(ranks);
    std::filesystem::remove_all(folder);
    return result;
}
