/* explore.c: breadth-first through all states. The states lie in one array, in the order met: that is also the queue. */
#include "explore.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_STATES 4000000u /* more than that is a model out of bounds, and too much memory */
#define WORDS 160

/* Everything met so far. */
struct walk {
    const struct model *model;
    int scenario, fault;
    unsigned char *states; /* count * model->bytes */
    uint32_t *parents;     /* the state each was first reached from */
    unsigned char *moves;  /* and the move that did it */
    size_t count, room;
    uint32_t *table; /* hash table of state number + 1; 0: free */
    size_t slots;    /* a power of two */
};

void say(struct step *step, const char *format, ...)
{
    if (!step->words)
        return;
    va_list list;
    va_start(list, format);
    vsnprintf(step->words, WORDS, format, list);
    va_end(list);
}

static void *grow(void *memory, size_t bytes)
{
    void *more = realloc(memory, bytes);
    if (!more) {
        fprintf(stderr, "explore: no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return more;
}

static unsigned char *state_at(const struct walk *w, size_t number)
{
    return w->states + number * w->model->bytes;
}

static uint64_t hash(const unsigned char *state, size_t bytes)
{
    uint64_t h = 0x9e3779b97f4a7c15u, word;
    for (size_t i = 0; i < bytes; i += sizeof word) {
        word = 0;
        memcpy(&word, state + i, bytes - i < sizeof word ? bytes - i : sizeof word);
        h = (h ^ word) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return h;
}

/* The slot of the table where this state stands, or the free one where it belongs. */
static uint32_t *find(const struct walk *w, const unsigned char *state)
{
    size_t at = hash(state, w->model->bytes) & (w->slots - 1);
    while (w->table[at] && memcmp(state_at(w, w->table[at] - 1), state, w->model->bytes) != 0)
        at = (at + 1) & (w->slots - 1);
    return &w->table[at];
}

static void make_room(struct walk *w)
{
    if (w->count < w->room)
        return;
    w->room = w->room ? w->room + w->room / 2 : 4096;
    w->states = grow(w->states, w->room * w->model->bytes);
    w->parents = grow(w->parents, w->room * sizeof *w->parents);
    w->moves = grow(w->moves, w->room);
    if (w->slots >= 2 * w->room)
        return;
    w->slots = w->slots ? w->slots * 2 : 16384;
    free(w->table);
    w->table = grow(NULL, w->slots * sizeof *w->table);
    memset(w->table, 0, w->slots * sizeof *w->table);
    for (size_t i = 0; i < w->count; i++)
        *find(w, state_at(w, i)) = (uint32_t)i + 1;
}

static void add(struct walk *w, const unsigned char *state, size_t parent, int move)
{
    make_room(w);
    uint32_t *slot = find(w, state);
    if (*slot)
        return;
    memcpy(state_at(w, w->count), state, w->model->bytes);
    w->parents[w->count] = (uint32_t)parent;
    w->moves[w->count] = (unsigned char)move;
    *slot = (uint32_t)++w->count;
}

/* ---- telling a counterexample ------------------------------------------------------ */

/* Go the way to state `number` once more, and let each move say what it does. */
static void tell_way(const struct walk *w, size_t number)
{
    if (number == 0)
        return;
    char words[WORDS] = "";
    unsigned char *state = grow(NULL, w->model->bytes);
    tell_way(w, w->parents[number]);
    memcpy(state, state_at(w, w->parents[number]), w->model->bytes);
    struct step step = { state, w->scenario, w->fault, NULL, words };
    w->model->move(&step, w->moves[number]);
    printf("      %s\n", words);
    free(state);
}

static int length_of(const struct walk *w, size_t number)
{
    int length = 0;
    for (; number; number = w->parents[number])
        length++;
    return length;
}

/* The promise breaks after state `number`: by the move that `last` tells of, or by standing still (""). */
static struct outcome broken(const struct walk *w, size_t number, const char *last, const char *promise,
                             bool tell)
{
    struct outcome outcome = { w->count, length_of(w, number) + (*last ? 1 : 0), promise };
    if (tell) {
        tell_way(w, number);
        printf("%s%s%s", *last ? "      " : "", last, *last ? "\n" : "");
        printf("      => %s\n", promise);
    }
    return outcome;
}

/* ---- the walk ------------------------------------------------------------------------ */

/* Make every possible move in state `number`. */
static struct outcome visit(struct walk *w, unsigned char *state, size_t number, bool tell)
{
    char words[WORDS] = "";
    bool stuck = true;
    struct step step = { state, w->scenario, w->fault, NULL, tell ? words : NULL };
    for (int move = 0; move < w->model->scenarios[w->scenario].moves; move++) {
        memcpy(state, state_at(w, number), w->model->bytes);
        if (!w->model->move(&step, move))
            continue;
        stuck = false;
        if (step.broken)
            return broken(w, number, *words ? words : " ", step.broken, tell);
        add(w, state, number, move);
    }
    const char *wrong = NULL;
    if (stuck) {
        memcpy(state, state_at(w, number), w->model->bytes);
        wrong = w->model->end(&step);
    }
    if (wrong)
        return broken(w, number, "", wrong, tell);
    return (struct outcome){ 0 };
}

struct outcome explore(const struct model *model, int scenario, int fault, bool tell)
{
    struct walk w = { .model = model, .scenario = scenario, .fault = fault };
    struct outcome outcome = { 0 };
    unsigned char *state = grow(NULL, model->bytes);
    memset(state, 0, model->bytes);
    struct step first = { state, scenario, fault, NULL, NULL };
    if (model->begin)
        model->begin(&first);
    add(&w, state, 0, 0);
    for (size_t i = 0; i < w.count && !outcome.broken; i++)
        if (w.count > MOST_STATES)
            outcome = (struct outcome){ w.count, 0, "the model has more states than the explorer may keep" };
        else
            outcome = visit(&w, state, i, tell);
    outcome.states = w.count;
    free(w.states);
    free(w.parents);
    free(w.moves);
    free(w.table);
    free(state);
    return outcome;
}
