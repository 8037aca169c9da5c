/*
 * explore.h: walks through every state that a small model can reach.
 *
 * A model is a handful of bytes, and a list of moves that each do ONE memory access of one thread. The explorer
 * starts at the first state, makes every possible move in every state it meets, and never visits a state twice.
 * It goes breadth-first and remembers where it came from, so a counterexample is the shortest one.
 *
 * Waiting has no time limit in a model: a wake-up that gets lost shows as a state in which nobody can move.
 */
#ifndef MODEL_EXPLORE_H
#define MODEL_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>

/* One move, while it is made. */
struct step {
    void *state;        /* the state; the move changes it in place */
    int scenario;       /* which of the model's scenarios is being walked through */
    int fault;          /* which fault is built in; 0: none */
    const char *broken; /* set by the move: the promise that it breaks */
    char *words;        /* where the move tells what it does; NULL: nobody asks */
};

/* What a model may be walked through with. */
struct scenario {
    const char *name;
    int moves; /* moves are numbered 0 to moves - 1 */
};

/* A mistake somebody could make in the protocol. The explorer must find it. */
struct fault {
    const char *name; /* what is done wrong */
    int scenario;     /* where it shows */
};

/* A protocol as a state machine. */
struct model {
    const char *name;
    const char *promise;                         /* what is shown, as one sentence */
    size_t bytes;                                /* of a state; all of them count, padding must stay zero */
    const struct scenario *scenarios;            /* the last has no name */
    const struct fault *faults;                  /* fault i + 1; the last has no name */
    void (*begin)(struct step *step);            /* fill the zeroed state; NULL: zeros are right */
    bool (*move)(struct step *step, int number); /* false: it is not possible now, the state is unchanged */
    const char *(*end)(struct step *step); /* nobody can move. NULL: so it should end; or what is wrong */
};

/* Tell what the move does, if anybody asks. */
void say(struct step *step, const char *format, ...);

/* What came of a walk. */
struct outcome {
    size_t states;      /* met */
    int length;         /* moves of the counterexample; 0: there were too many states to finish */
    const char *broken; /* the promise that it breaks; NULL: all is well */
};

/* Walk through everything that `scenario` can reach, with `fault` built in (0: none). `tell`: print the counterexample. */
struct outcome explore(const struct model *model, int scenario, int fault, bool tell);

#endif
