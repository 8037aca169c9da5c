/* stream_missing.c: what is in the way of a touch, and the steps that clear it. */
#include "stream_account.h"

static bool knows(const struct account *a, int stream, int other, int number)
{
    return number <= a->known[stream][other] || number <= a->host[other];
}

/* A work that must be waited for before this touch. NULL: none. */
const struct flight *flight_in_the_way(const struct account *a, struct place place, bool writes)
{
    for (int i = 0; i < a->in_flight; i++) {
        const struct flight *flight = &a->flights[i];
        if (!flight->over &&
            (places_meet(flight->part.out, place) || (writes && places_meet(flight->part.in, place))))
            return flight;
    }
    return NULL;
}

/* A stream that must be waited for. -1: none. */
int stream_in_the_way(const struct account *a, int stream, struct place place, bool writes)
{
    for (int i = 0; i < place.count; i++) {
        const struct grain *grain = &a->grains[place.tensor][place.begin + i];
        if (!knows(a, stream, grain->writer, grain->written))
            return grain->writer;
        for (int s = 0; writes && s < STREAMS; s++)
            if (!knows(a, stream, s, grain->read[s]))
                return s;
    }
    return -1;
}

static void add(struct clocks *clocks, struct program *program, enum step_kind kind, int rank, int stream,
                int other)
{
    program_add(program, kind, rank, stream)->other = other;
    clocks_pass(clocks, program, program->count - 1);
}

static void prepare(struct clocks *clocks, struct program *program, uint64_t *dice, int rank, int stream,
                    struct place place, bool writes)
{
    const struct account *a = &clocks->accounts[rank];
    for (const struct flight *flight; (flight = flight_in_the_way(a, place, writes));) {
        bool here = ref_below(dice, 3) > 0;
        add(clocks, program, STEP_WAIT, rank, here ? stream : (int)ref_below(dice, program->streams),
            flight->step);
    }
    for (int other; (other = stream_in_the_way(a, stream, place, writes)) >= 0;) {
        int64_t way = ref_below(dice, 16);
        if (way == 0)
            add(clocks, program, STEP_SYNCHRONIZE_ALL, rank, 0, 0);
        else if (way < 3)
            add(clocks, program, STEP_SYNCHRONIZE, rank, other, 0);
        else
            add(clocks, program, STEP_ORDER, rank, stream, other);
    }
}

void clocks_prepare(struct clocks *clocks, struct program *program, uint64_t *dice, int rank,
                    const struct part *part)
{
    prepare(clocks, program, dice, rank, part->stream, part->in, false);
    prepare(clocks, program, dice, rank, part->stream, part->out, true);
}

int clocks_works(const struct clocks *clocks, int rank)
{
    return clocks->accounts[rank].in_flight;
}

int clocks_work(const struct clocks *clocks, uint64_t *dice, int rank)
{
    const struct account *a = &clocks->accounts[rank];
    return a->in_flight > 0 ? a->flights[ref_below(dice, a->in_flight)].step : -1;
}
