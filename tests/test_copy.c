/*
 * test_copy.c: do the host's copies give what plain loops give, and touch nothing else?
 */
#include "devices/host.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MOST ((size_t)(80 << 10)) /* more than 16 pages: several rounds of the way past the caches */
#define GUARD 128
#define MOST_COPIES 8
#define MARK 0x5a

static uint64_t state = 1;

static size_t draw(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

/* Room for one tensor that begins anywhere in a cache line, with a guard before and behind. */
struct room {
    unsigned char *all, *bytes;
    size_t count;
};

static struct room room_new(size_t count, size_t aligned)
{
    struct room room = { .count = count };
    room.all = malloc(GUARD + 64 + MOST + GUARD);
    cr_assert(room.all, "no memory");
    memset(room.all, MARK, GUARD + 64 + MOST + GUARD);
    room.bytes = room.all + GUARD;
    room.bytes += draw(64) / aligned * aligned;
    return room;
}

static struct room room_filled(size_t count, size_t aligned)
{
    struct room room = room_new(count, aligned);
    for (size_t i = 0; i < count; i++)
        room.bytes[i] = (unsigned char)draw(256);
    return room;
}

static void check(const struct room *room, const unsigned char *wanted, const char *what)
{
    cr_assert(memcmp(room->bytes, wanted, room->count) == 0, "%s of %zu bytes: other bytes than wanted", what,
              room->count);
    for (const unsigned char *at = room->all; at < room->bytes; at++)
        cr_assert(*at == MARK, "%s of %zu bytes writes before its target", what, room->count);
    for (const unsigned char *at = room->bytes + room->count; at < room->all + GUARD + 64 + MOST + GUARD;
         at++)
        cr_assert(*at == MARK, "%s of %zu bytes writes behind its target", what, room->count);
}

/* Sizes around all borders: of a line, a page, four pages; and some at random. */
static size_t size_of(int number)
{
    static const size_t around[] = { 0, 1, 16, 64, 128, 4096, 8192, 16384, 16448, 32768, 65536 };
    const int sizes = sizeof around / sizeof *around;
    if (number >= 3 * sizes)
        return draw(MOST);
    size_t size = around[number / 3] + (size_t)(number % 3);
    return size > 0 ? size - 1 : 0;
}
#define SIZES 80

Test(copy, one_to_one)
{
    static void (*const copies[])(void *, const void *, size_t) = { host_copy, host_copy_past };
    for (int i = 0; i < 2 * SIZES; i++) {
        size_t bytes = size_of(i / 2);
        struct room from = room_filled(bytes, 1), to = room_new(bytes, 1);
        copies[i % 2](to.bytes, from.bytes, bytes);
        check(&to, from.bytes, i % 2 ? "host_copy_past" : "host_copy");
        copies[i % 2](to.bytes, to.bytes, bytes); /* to itself: nothing happens */
        check(&to, from.bytes, "a copy to itself");
        free(from.all);
        free(to.all);
    }
}

Test(copy, a_copy_that_outgrows_the_caches)
{
    size_t bytes = 3 << 20;
    unsigned char *from = malloc(bytes + 1), *to = malloc(bytes + 1);
    cr_assert(from && to, "no memory");
    for (size_t i = 0; i <= bytes; i++)
        from[i] = (unsigned char)draw(256);
    host_copy_past(to + 1, from, bytes);
    cr_assert(memcmp(to + 1, from, bytes) == 0);
    free(from);
    free(to);
}

/* Several targets, each at an alignment of its own; one of them may be the source. */
static void spread(size_t bytes, int copies, bool past, bool itself)
{
    struct room from = room_filled(bytes, 1), rooms[MOST_COPIES];
    void *to[MOST_COPIES];
    unsigned char *wanted = malloc(bytes + 1);
    memcpy(wanted, from.bytes, bytes);
    int same = itself ? (int)draw((size_t)copies) : -1;
    for (int i = 0; i < copies; i++) {
        rooms[i] = room_new(bytes, 1);
        to[i] = i == same ? from.bytes : rooms[i].bytes;
    }
    host_spread(to, copies, from.bytes, bytes, past);
    check(&from, wanted, "host_spread from its source");
    for (int i = 0; i < copies; i++) {
        if (i != same)
            check(&rooms[i], wanted, past ? "host_spread past the caches" : "host_spread");
        free(rooms[i].all);
    }
    free(from.all);
    free(wanted);
}

Test(copy, one_to_many)
{
    for (int i = 0; i < 4 * SIZES; i++)
        spread(size_of(i / 4), 1 + (int)draw(MOST_COPIES), i % 2, i / 2 % 2);
}

/* A reduction whose result goes to all; each target may be one of the inputs. host_reduce, which test_reduce.c compares with
 * plain loops, says what must come of it. */
static void reduce_spread(enum dist_type type, enum dist_op op, int64_t count, bool past, bool in_place)
{
    size_t element = dtype_size(type), bytes = (size_t)count * element;
    int inputs = 1 + (int)draw(MOST_COPIES), copies = in_place ? inputs : 1 + (int)draw(MOST_COPIES);
    struct room from[MOST_COPIES], rooms[MOST_COPIES];
    const void *in[MOST_COPIES];
    void *to[MOST_COPIES];
    unsigned char *wanted = malloc(bytes + element);
    for (int i = 0; i < inputs; i++) {
        from[i] = room_filled(bytes, element);
        in[i] = from[i].bytes;
    }
    for (int i = 0; i < copies; i++) {
        rooms[i] = in_place ? from[i] : room_new(bytes, element);
        to[i] = rooms[i].bytes;
    }
    host_reduce(wanted, in, inputs, count, type, op);
    host_reduce_spread(to, copies, in, inputs, count, type, op, past);
    for (int i = 0; i < copies; i++)
        check(&rooms[i], wanted, past ? "host_reduce_spread past the caches" : "host_reduce_spread");
    for (int i = 0; i < copies; i++)
        free(rooms[i].all);
    for (int i = 0; i < inputs && !in_place; i++)
        free(from[i].all);
    free(wanted);
}

Test(copy, sums_to_many)
{
    static const enum dist_type types[] = { DIST_U8, DIST_I32,
                                            DIST_I64 }; /* random bytes of these are never NaN */
    for (int i = 0; i < 4 * SIZES; i++) {
        enum dist_type type = types[draw(3)];
        reduce_spread(type, (enum dist_op)draw(5), (int64_t)(size_of(i / 4) / dtype_size(type)), i % 2,
                      i / 2 % 2);
    }
}
