// collect.inc.h: the part of plugin.cc that is about groups and collectives. These are messages in the world's mesh, since Gloo's own
// want a mesh for each group, and have no reduce_scatter. Each runs in a thread: of two groups' collectives none waits for the other.

// One rank's part in one collective.
struct part {
    group g;
    uint64_t slot;
    transport_collective what;
    int size() const
    {
        return static_cast<int>(g.ranks.size());
    }
    int place(int i) const // around the ring
    {
        return ((i % size()) + size()) % size();
    }
    int neighbour(int distance) const
    {
        return g.ranks[static_cast<size_t>(place(g.rank + distance))];
    }
    size_t bytes(int64_t elements) const
    {
        return static_cast<size_t>(elements) * what.element;
    }
};

// Send to a member, or receive from one.
void transfer(const part &p, bool sends, int member, char *data, size_t bytes)
{
    if (bytes == 0)
        return;
    int peer = p.g.ranks[static_cast<size_t>(member)];
    buffer whole = buffer_of(data, bytes);
    if (sends) {
        whole->send(peer, p.slot, 0, bytes);
        whole->waitSend(nullptr, EVER);
    } else {
        whole->recv(peer, p.slot, 0, bytes);
        whole->waitRecv(nullptr, EVER);
    }
}

// Element where block i of x begins: of `count` elements for all together.
int64_t start(const part &p, int64_t count, int i)
{
    return count * i / p.size();
}

// Around the ring in steps, each time one block: in the first n - 1 of them those that come in are added, until block `rank` is complete;
// in the next n - 1 they are kept. A block is cut into pieces: while one is waited for and added up, the others are on their way.
class ring
{
  public:
    ring(const part &p, char *x, int64_t count) : p(p), x(x), count(count), n(p.size())
    {
        size_t bytes = p.bytes(count / n + 1);
        pieces.resize(bytes < 2 * PIECE ? 1 : bytes / PIECE < MOST ? bytes / PIECE : MOST);
        each = (bytes / pieces.size() + p.what.element + LINE - 1) / LINE * LINE;
        arriving.resize(pieces.size() * each);
    }
    void add()
    {
        go(1, n);
    }
    void keep()
    {
        go(n, 2 * n - 1);
    }
    void add_and_keep()
    {
        go(1, 2 * n - 1);
    }

  private:
    static constexpr size_t PIECE = 256 << 10, MOST = 8, LINE = 64;
    struct piece {
        buffer sent, received;
    };
    struct span {
        char *at;
        int64_t count;
    };
    const part &p;
    char *x;
    int64_t count;
    int n;
    std::vector<piece> pieces;
    std::vector<char> arriving; // for what is added,
    size_t each; // bytes for a piece: elements are read where they lie, so on a border of theirs

    span of(int block, size_t piece) const
    {
        int64_t first = start(p, count, block), all = start(p, count, block + 1) - first,
                parts = static_cast<int64_t>(pieces.size()), i = static_cast<int64_t>(piece),
                from = all * i / parts;
        return { x + p.bytes(first + from), all * (i + 1) / parts - from };
    }
    void begin(int step, size_t i)
    {
        span out = of(p.place(p.g.rank - step), i), in = of(p.place(p.g.rank - step - 1), i);
        char *to = step < n ? arriving.data() + i * each : in.at;
        if (in.count) {
            pieces[i].received = buffer_of(to, p.bytes(in.count));
            pieces[i].received->recv(p.neighbour(-1), p.slot, 0, p.bytes(in.count));
        }
        if (out.count) {
            pieces[i].sent = buffer_of(out.at, p.bytes(out.count));
            pieces[i].sent->send(p.neighbour(1), p.slot, 0, p.bytes(out.count));
        }
    }
    void end(int step, size_t i)
    {
        span out = of(p.place(p.g.rank - step), i), in = of(p.place(p.g.rank - step - 1), i);
        if (in.count)
            pieces[i].received->waitRecv(nullptr, EVER);
        if (in.count && step < n)
            job_mesh->job.reduce(in.at, pieces[i].received->ptr, in.count, p.what.type, p.what.op);
        if (out.count)
            pieces[i].sent->waitSend(nullptr, EVER);
    }
    void go(int step, int last)
    {
        for (size_t i = 0; i < pieces.size() && step < last; i++)
            begin(step, i);
        for (; step < last; step++)
            for (size_t i = 0; i < pieces.size(); i++) {
                end(step, i);
                if (step + 1 < last)
                    begin(step + 1, i);
            }
    }
};

// To the root, or from it, `count` elements in blocks: `whole` is the root's, `own` everybody's.
void star(const part &p, bool gathers, char *whole, int64_t count, char *own)
{
    for (int i = 0; i < p.size(); i++) {
        char *block = p.g.rank == p.what.root ? whole + p.bytes(start(p, count, i)) : own;
        size_t bytes = p.bytes(start(p, count, i + 1) - start(p, count, i));
        bool at_root = p.g.rank == p.what.root, sends = gathers != at_root;
        if (at_root && i == p.g.rank)
            memmove(gathers ? block : own, gathers ? own : block, bytes);
        else if (at_root || i == p.g.rank)
            transfer(p, sends, at_root ? i : p.what.root, block, bytes);
    }
}

// Down a tree: who has it sends it to the one that is so far away as all that have it are many.
void broadcast(const part &p, char *x, size_t bytes)
{
    int me = p.place(p.g.rank - p.what.root);
    for (int have = 1; have < p.size(); have *= 2) {
        if (me < have && me + have < p.size())
            transfer(p, true, p.place(p.g.rank + have), x, bytes);
        else if (me >= have && me < 2 * have)
            transfer(p, false, p.place(p.g.rank - have), x, bytes);
    }
}

void reduce(const part &p, const char *in, char *out, int64_t count)
{
    std::vector<char> sum(in, in + p.bytes(count));
    int64_t mine = start(p, count, p.g.rank);
    ring(p, sum.data(), count).add();
    if (p.what.call == TRANSPORT_REDUCE)
        star(p, true, out, count, sum.data() + p.bytes(mine));
    else
        memcpy(out, sum.data() + p.bytes(mine), p.bytes(p.what.block));
}

void collect(const part &p)
{
    const transport_collective &c = p.what;
    int64_t all = static_cast<int64_t>(c.block) * p.size();
    char *in = static_cast<char *>(const_cast<void *>(c.in)), *out = static_cast<char *>(c.out);
    size_t block = p.bytes(c.block), mine = static_cast<size_t>(p.g.rank) * block;
    switch (c.call) {
    case TRANSPORT_BROADCAST:
        return broadcast(p, out, block);
    case TRANSPORT_REDUCE:
        return reduce(p, in, out, c.block);
    case TRANSPORT_REDUCE_SCATTER:
        return reduce(p, in, out, all);
    case TRANSPORT_ALL_REDUCE:
        memmove(out, in, block);
        return ring(p, out, c.block).add_and_keep();
    case TRANSPORT_SCATTER:
        return star(p, false, in, all, out);
    case TRANSPORT_GATHER:
        return star(p, true, out, all, in);
    case TRANSPORT_ALL_GATHER:
        memmove(out + mine, in, block);
        return ring(p, out, all).keep();
    }
}

void run(request *r, const part p)
{
    pthread_setname_np(pthread_self(), "transport");
    if (succeeds([&] { collect(p); })) {
        r->done = true;
        mesh_wake(); // (once it is done, the mesh may be gone)
    }
}

transport_request plugin_collect(void *handle, const transport_collective *what)
{
    group *g = handle ? static_cast<group *>(handle) : &job_mesh->world;
    quiet hush;
    std::unique_ptr<request> r;
    succeeds([&] {
        r.reset(new request());
        std::thread(run, r.get(), part{ *g, g->slots + g->seq++, *what }).detach();
    });
    return reinterpret_cast<transport_request>(r.release());
}

void *plugin_group_new(const int *ranks, int size, int number)
{
    group *g = nullptr;
    succeeds([&] {
        g = new group{ std::vector<int>(ranks, ranks + size), 0, (static_cast<uint64_t>(number) + 2) << 32 };
        while (ranks[g->rank] != job_mesh->job.rank)
            g->rank++;
    });
    return g;
}

void plugin_group_free(void *g)
{
    delete static_cast<group *>(g);
}
