// ear.inc.h: the part of plugin.cc that listens for notes.

void expect_note(ear *e, size_t from, int i)
{
    note *place = e->place(from, i);
    place->whole = 0;
    e->memory->recv(static_cast<int>(from), TRANSPORT_NOTES,
                    static_cast<size_t>(place - e->places.data()) * sizeof(note), sizeof(note));
}

// The places of a rank are filled one after the other. How many of all look full, and of each rank.
int look_at_places(ear *e)
{
    int all = 0;
    for (size_t from = 0; from < e->next.size(); from++) {
        int full = 0;
        while (full < AHEAD && __atomic_load_n(&e->place(from, full)->whole, __ATOMIC_RELAXED))
            full++;
        e->full[from] = full;
        all += full;
    }
    return all;
}

void take_notes(mesh *m)
{
    ear *e = &m->ear;
    for (size_t from = 0; from < e->next.size(); from++)
        for (; e->full[from] > 0; e->full[from]--) {
            {
                std::lock_guard<std::mutex> guard(m->lock);
                m->notes.push_back(*e->place(from, 0));
            }
            m->job.wake();
            expect_note(e, from, 0);
            e->next[from] = (e->next[from] + 1) % AHEAD;
        }
}

// Gloo tells how many notes have come (`come`), but not whose. Those that have come are full. A place may also look full of which Gloo has
// not yet said so, and may then lack other bytes: while there are more full ones than have come, the ear waits for the word on that.
void listen(mesh *m)
{
    try {
        for (int come = 0; m->ear.memory->waitRecv(nullptr, EVER);) {
            come++;
            if (look_at_places(&m->ear) > come)
                continue;
            take_notes(m);
            come = 0;
        }
    } catch (const std::exception &e) {
        fail(m, e.what());
    }
}
