// board.inc.h: the part of plugin.cc that is about how Gloo's ranks find each other: what one has put down under a key all can read. Each
// rank has its own place on the board, which begins with how many bytes of it are used: by one key and value after the other, each with
// its length before it.

class board_store : public gloo::rendezvous::Store
{
  public:
    explicit board_store(const transport_job &job) : job(job)
    {
    }
    void set(const std::string &key, const std::vector<char> &data) override
    {
        uint64_t end = used;
        put(&end, key.data(), key.size());
        put(&end, data.data(), data.size());
        used = end;
        __atomic_store_n(length_of(job.rank), used, __ATOMIC_RELEASE);
    }
    std::vector<char> get(const std::string &key) override
    {
        std::vector<char> value;
        find(key, &value);
        return value;
    }
    void wait(const std::vector<std::string> &keys) override
    {
        std::vector<char> value;
        for (const std::string &key : keys)
            while (!find(key, &value)) {
                if (job.over())
                    throw std::runtime_error("the job has failed");
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
    }
    void wait(const std::vector<std::string> &keys, const std::chrono::milliseconds &) override
    {
        wait(keys);
    }

  private:
    transport_job job;
    uint64_t used = 0;
    uint64_t *length_of(int rank) const
    {
        return reinterpret_cast<uint64_t *>(job.board + static_cast<size_t>(rank) * job.board_bytes);
    }
    void put(uint64_t *end, const char *data, uint64_t size)
    {
        char *place = reinterpret_cast<char *>(length_of(job.rank) + 1) + *end;
        if (*end + size + 4 * sizeof size >
            job.board_bytes) // one is the length's, and the last is plugin_meet's
            throw std::runtime_error("too many ranks for the board of this machine");
        memcpy(place, &size, sizeof size);
        memcpy(place + sizeof size, data, size);
        *end += sizeof size + size;
    }
    static std::vector<char> take(const char **at)
    {
        uint64_t size;
        memcpy(&size, *at, sizeof size);
        const char *data = *at + sizeof size;
        *at = data + size;
        return std::vector<char>(data, data + size);
    }
    bool find(const std::string &key, std::vector<char> *value) const
    {
        for (int rank = 0; rank < job.size; rank++) {
            const char *at = reinterpret_cast<char *>(length_of(rank) + 1);
            const char *end = at + __atomic_load_n(length_of(rank), __ATOMIC_ACQUIRE);
            while (at < end) {
                std::vector<char> name = take(&at);
                *value = take(&at);
                if (key == std::string(name.begin(), name.end()))
                    return true;
            }
        }
        return false;
    }
};

// Gloo took the store by reference, and takes it shared since 2025: whichever of the two compiles is called.
template <class context, class device>
auto connect(context &to, std::shared_ptr<board_store> store, device &by, int) -> decltype(to.connectFullMesh(store, by))
{
    return to.connectFullMesh(store, by);
}

template <class context, class device>
auto connect(context &to, std::shared_ptr<board_store> store, device &by, long) -> decltype(to.connectFullMesh(*store, by))
{
    return to.connectFullMesh(*store, by);
}
