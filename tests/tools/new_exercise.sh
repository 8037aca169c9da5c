#!/bin/sh
# new_exercise.sh 03_ring/5_thing: make all files of a new exercise, 03.5. It is a small one, and complete: all four gates hold.
# Then change it, file by file, into yours. tests/TEACHING.md says what each file is for.

name=$1
if ! echo "$name" | grep -q -x -E '[0-9]{2}_[a-z0-9_]+/[1-9][0-9]*_[a-z][a-z0-9_]*'; then
    echo "usage: make new-exercise NAME=03_ring/5_thing   (a chapter's folder, a number, and a name that is good in C)" >&2
    exit 2
fi
file=${name##*/}
number=${name%%_*}.${file%%_*}
function=${file#*_}
taken=$(ls exercises/"${name%/*}/${file%%_*}"_*.c 2>/dev/null)
if [ "$taken" ]; then
    echo "There is an exercise $number already: $taken" >&2
    exit 2
fi

# make PATH: its contents come in.
make()
{
    mkdir -p "$(dirname "$1")"
    cat >"$1"
    echo "  made $1"
}

# A learner's file: the lines of its region come in. A wrong answer begins with the words of its feedback.
learner()
{
    [ ! "$1" ] || echo "/* feedback: $1 */"
    cat <<END
/*
 * $file.c: exercise $number. Every rank gives its vector to the next one.
 *
 *     rank 0 ---> rank 1 ---> rank 2 ---> rank 3
 *        ^                                  |
 *        +----------------------------------+
 *
 * Before: each rank has its own \`mine\`, and zeros in \`got\`. After: \`got\` holds what the previous rank has.
 * There are two ranks or more. One message from each is enough; no collectives.
 *
 * Grade it:  make exercise-$number        Run it:  make try-$number N=4        A hint:  make hint-$number
 */
#include "dist.h"

void $function(tensor *got, tensor *mine, int rank, int world_size)
{
    int next = (rank + 1) % world_size;
    int previous = (rank + world_size - 1) % world_size;

    /* TO$()DO: give \`mine\` to the next rank, and take what the previous one gives. Who is ready first? */
$(cat)
    /* end of TO$()DO */
}

static void run(int rank, int world_size)
{
    dist_init_process_group();
    tensor *mine = tensor_arange(DIST_F32, 100 * rank, 100 * rank + 3);
    tensor *got = tensor_zeros(DIST_F32, 3);
    $function(got, mine, rank, world_size);
    tensor_print(got, "rank %d got", rank);
    tensor_free(got);
    tensor_free(mine);
    dist_destroy_process_group();
}

int main(void)
{
    return dist_spawn(run, 4);
}
END
}

echo | learner | make "exercises/$name.c"
folder=exercises/${name%/*}
[ -e "$folder/Makefile" ] || cp exercises/01_first_program/Makefile "$folder/"

make "exercises/$name.hint.md" <<'END'
## 1
If all ranks send first, who receives? A send waits until its receive is there.

## 2
`dist_isend` only starts the send, and gives you something to wait for. Between the two you are free to receive.

## 3
    dist_work *sending = dist_isend(mine, next);
    dist_recv(got, previous);
    dist_wait(sending);
END

learner <<'END' | make "solutions/$name.c"
    dist_work *sending = dist_isend(mine, next);
    dist_recv(got, previous);
    dist_wait(sending);
END

make "tests/graders/$name.c" <<END
/* Grades $number: every rank gives its vector to the next one. */
#include "../../grader/grader.h"

const struct exercise exercise = {
    .title = "To the next one",
    .forbidden = COLLECTIVES,
    .drawing = "flow",
};

static double from_the_previous(const struct sitting *s, int rank, int64_t i)
{
    return given(s, (rank + s->ranks - 1) % s->ranks, "mine", i);
}

GRADED(what_arrives, 6)
{
    EACH_SITTING(s, 2, 9) {
        int64_t n = pick(s, 1, 9);
        give_random(s, "mine", DIST_F32, n);
        sit(s);
        expect(s, "got", n, from_the_previous);
    }
}

GRADED(one_message_each, 4)
{
    EACH_SITTING(s, 2, 8) {
        give_random(s, "mine", DIST_F32, 3);
        sit(s);
        for (int r = 0; r < s->ranks; r++)
            claim(s, way_sends(s, r) == 1, "rank %d sent %d messages; one is enough", r, way_sends(s, r));
    }
}
END

make "tests/graders/$name.desk.c" <<END
/* What each rank does in $number. */
#include "../../grader/desk.h"

void $function(tensor *got, tensor *mine, int rank, int world_size);

void desk(int rank, int world_size)
{
    tensor *mine = desk_tensor("mine");
    tensor *got = desk_room(DIST_F32, tensor_numel(mine));
    $function(got, mine, rank, world_size);
    desk_hand_in("got", got);
}
END

learner "It got stuck" <<'END' | make "tests/wrong/$name/all_receive_first.c"
    dist_recv(got, previous);
    dist_send(mine, next);
END

learner "first wrong element" <<'END' | make "tests/wrong/$name/backwards.c"
    dist_work *sending = dist_isend(mine, previous);
    dist_recv(got, next);
    dist_wait(sending);
END

learner "dist_wait on that work" <<'END' | make "tests/wrong/$name/never_waits.c"
    dist_isend(mine, next);
    dist_recv(got, previous);
END

learner "one is enough" <<'END' | make "tests/wrong/$name/sends_it_twice.c"
    for (int i = 0; i < 2; i++) {
        dist_work *sending = dist_isend(mine, next);
        dist_recv(got, previous);
        dist_wait(sending);
    }
END

tests/tools/seal.sh --write
echo "Exercise $number is there: make gates ONLY=$number. Now make it yours; after each change of a grader: make seal"
