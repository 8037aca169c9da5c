// mesh.inc.h: the part of plugin.cc that is about Gloo's classes: what is added to them, and how the ranks' connections come about.

// What is sent or received with it is over when its count of completions says so. Gloo only waits for that, until a time-out closes all
// connections.
class memory : public tcp::UnboundBuffer
{
  public:
    using tcp::UnboundBuffer::UnboundBuffer;

    bool take_received()
    {
        return take(&recvCompletions_);
    }
    bool take_sent()
    {
        return take(&sendCompletions_);
    }

  private:
    bool take(int *completions)
    {
        std::lock_guard<std::mutex> guard(m_);
        if (*completions == 0)
            throwIfException();
        return *completions > 0 && (*completions)--;
    }
};

template <class mutex> bool rank_is_out(mutex &m)
{
    std::unique_lock<mutex> lock(m, std::try_to_lock);
    if (!lock)
        std::this_thread::sleep_for(std::chrono::microseconds(1));
    return lock.owns_lock();
}

// Gloo's thread would come back at once, again and again, if the rank has the lock; which it may have just taken the processor from. Since
// 2025 it also says whose loop it is.
template <class pair, class = void> class patient_pair : public pair
{
  public:
    using pair::pair;
    void handleEvents(tcp::Loop &loop, int events) override
    {
        if (rank_is_out(this->m_))
            pair::handleEvents(loop, events);
    }
};

template <class pair> class patient_pair<pair, decltype(std::declval<pair &>().handleEvents(0))> : public pair
{
  public:
    using pair::pair;
    void handleEvents(int events) override
    {
        if (rank_is_out(this->m_))
            pair::handleEvents(events);
    }
};

// A connection. Gloo's thread moves its bytes (handleReadWrite), and wakes the rank when something of the rank's is over.
class connection : public patient_pair<tcp::Pair>
{
  public:
    using patient_pair::patient_pair;
    ~connection() override // before Gloo's thread could find half of it gone
    {
        try {
            tcp::Pair::close();
        } catch (const std::exception &) {
            // it was closed, or is now
        }
    }

    // What was sent under this slot does not wait for its receive.
    bool has_begun(uint64_t slot)
    {
        std::lock_guard<std::mutex> guard(m_);
        return localPendingSend_.find(slot) == localPendingSend_.end();
    }

  protected:
    void handleReadWrite(int events) override
    {
        size_t sent = written, receives = count_receives();
        tcp::Pair::handleReadWrite(events);
        if (written == sent && count_receives() == receives)
            return;
        mesh_news++;
        mesh_wake();
    }
    bool write(tcp::Op &op) override
    {
        bool whole = tcp::Pair::write(op);
        written += whole && op.getOpcode() == tcp::Op::SEND_UNBOUND_BUFFER && is_message(op.preamble.slot);
        return whole;
    }

  private:
    size_t written = 0; // messages

    // Those that are not read. None is looked at: there may be very many. Only notes have several under one slot, and of collectives, whose
    // threads wait for them, the last.
    size_t count_receives() const
    {
        const auto &head = rx_.preamble;
        auto notes = localPendingRecv_.find(TRANSPORT_NOTES);
        return localPendingRecv_.size() + (notes == localPendingRecv_.end() ? 0 : notes->second.size()) +
               (rx_.nread >= sizeof head && head.opcode == tcp::Op::SEND_UNBOUND_BUFFER &&
                is_message(head.slot));
    }
    static bool is_message(uint64_t slot)
    {
        return slot < TRANSPORT_TAGS || slot >= TRANSPORT_AHEAD;
    }
};

class context : public tcp::Context
{
  public:
    using tcp::Context::Context;
    std::unique_ptr<gloo::transport::Pair> &createPair(int rank) override
    {
        auto &place = pairs_[static_cast<size_t>(rank)];
        place.reset(new connection(this, device_.get(), rank, getTimeout()));
        return place;
    }
    bool has_begun(int rank, uint64_t slot)
    {
        return static_cast<connection *>(getPair(rank).get())->has_begun(slot);
    }
};

// ---- joining ---------------------------------------------------------------------------------------
//
// Each rank puts the addresses at which it waits for the others, one for each, in its bootstrap memory. That begins with how many
// bytes of it are used.

uint64_t *mesh_used(const transport_job &job, int rank)
{
    return reinterpret_cast<uint64_t *>(job.bootstrap + static_cast<size_t>(rank) * job.bootstrap_bytes);
}

char *mesh_address(const transport_job &job, int rank, int peer, size_t bytes)
{
    return reinterpret_cast<char *>(mesh_used(job, rank) + 1) + static_cast<size_t>(peer) * bytes;
}

void connect(const transport_job &job, context *all)
{
    size_t bytes = tcp::Address().bytes().size(), used = static_cast<size_t>(job.size) * bytes;
    if (used + 2 * sizeof(uint64_t) > job.bootstrap_bytes) // one is its length, and the last is plugin_meet's
        throw std::runtime_error("too many ranks for the bootstrap memory of this machine");
    for (int peer = 0; peer < job.size; peer++)
        if (peer != job.rank)
            memcpy(mesh_address(job, job.rank, peer, bytes), all->createPair(peer)->address().bytes().data(),
                   bytes);
    __atomic_store_n(mesh_used(job, job.rank), used, __ATOMIC_RELEASE);
    for (int peer = 0; peer < job.size; peer++) {
        if (peer == job.rank)
            continue;
        while (__atomic_load_n(mesh_used(job, peer), __ATOMIC_ACQUIRE) < used) {
            if (job.over())
                throw std::runtime_error("the job has failed");
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        const char *address = mesh_address(job, peer, job.rank, bytes);
        all->getPair(peer)->connect(std::vector<char>(address, address + bytes));
    }
}
