// messages.inc.h: the part of plugin.cc that sends, receives, and hears notes.

// What goes wrong is never done; test() tells. A note is sent behind its length.
transport_request begin(bool sends, const void *data, size_t bytes, int peer, uint64_t tag)
{
    quiet hush;
    std::unique_ptr<request> r;
    succeeds([&] {
        r.reset(new request());
        r->sends = sends;
        if (sends && tag == TRANSPORT_NOTES) {
            const uint32_t length = static_cast<uint32_t>(bytes);
            r->copy.reset(new char[NOTE_HEAD + bytes]);
            memcpy(r->copy.get(), &length, sizeof length);
            memcpy(r->copy.get() + NOTE_HEAD, data, bytes);
            data = r->copy.get();
            bytes += NOTE_HEAD;
        }
        r->data = buffer_of(data, bytes);
        if (sends)
            r->data->send(peer, tag, 0, bytes);
        else
            r->data->recv(peer, tag, 0, bytes);
    });
    return reinterpret_cast<transport_request>(r.release());
}

transport_request plugin_send(const void *data, size_t bytes, int peer, uint64_t tag)
{
    return begin(true, data, bytes, peer, tag);
}

// Gloo sends nothing before the receiver has said that it is ready.
transport_request plugin_offer(const void *data, size_t bytes, int peer, uint64_t tag, int *meets)
{
    transport_request request = plugin_send(data, bytes, peer, tag);
    *meets = request && job_mesh->all->has_begun(peer, tag);
    return request;
}

transport_request plugin_recv(void *data, size_t bytes, int peer, uint64_t tag)
{
    return begin(false, data, bytes, peer, tag);
}

// Gloo keeps its tag, and no longer where the data would have gone.
void plugin_forget(transport_request receive)
{
    delete reinterpret_cast<request *>(receive);
}

// Done, or a piece of a collective whose thread says so.
bool is_over(request *r)
{
    return r->done || (r->data && (r->sends ? r->data->take_sent() : r->data->take_received()));
}

int plugin_test(transport_request *number)
{
    auto *r = reinterpret_cast<request *>(*number);
    bool over = false;
    if (!succeeds([&] { over = is_over(r); }) || !over)
        return nothing_yet();
    delete r;
    *number = 0;
    return 1;
}

// The place of the note that was heard last is free again. What that note was answered with has gone first.
void free_place(mesh *m)
{
    if (m->heard_from < 0)
        return;
    quiet hush;
    succeeds([&] { expect_note(m->ears[static_cast<size_t>(m->heard_from)].get(), m->heard_from); });
    m->heard_from = -1;
}

// The next one that has heard a note; none: null.
const ear *find_note(mesh *m)
{
    for (size_t i = 0; i < m->ears.size(); i++) {
        m->listens = (m->listens + 1) % m->ears.size();
        const ear *e = m->ears[m->listens].get();
        if (e && e->whole->take_received())
            return e;
    }
    return nullptr;
}

int plugin_hear(void *data, int *from)
{
    mesh *m = job_mesh;
    uint32_t news = mesh_news;
    const ear *e = nullptr;
    free_place(m);
    if (news != m->heard)
        succeeds([&] { e = find_note(m); });
    if (!e) {
        m->heard = news;
        return nothing_yet();
    }
    const note &first = e->places[e->next]; // what is filled after all others is what was filled before them
    memcpy(data, first.data, first.bytes);
    *from = m->heard_from = static_cast<int>(m->listens);
    return static_cast<int>(first.bytes);
}

const char *plugin_error()
{
    return job_mesh && *job_mesh->error ? job_mesh->error : "there is no memory";
}
