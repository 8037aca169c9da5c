/* Grades 09.3: a mean in two levels: in the node, between the leaders, and back. */
#include "steps.h"

const struct exercise exercise = {
    .title = "The mean in two levels",
    .forbidden = COLLECTIVES MESSAGES,
    .needed = "dist_broadcast dist_reduce dist_all_reduce dist_new_group",
    .drawing = "spacetime",
    .calls_often = true,
};

static double mean(const struct sitting *s, int rank, int64_t i)
{
    double sum = 0;
    (void)rank; /* the same on all */
    for (int r = 0; r < s->ranks; r++)
        sum += given(s, r, "x", i);
    return sum / s->ranks;
}

static void lay_out(struct sitting *s)
{
    bool wide = s->ranks % 2;
    s->tolerance = wide ? 1e-12 : 3e-6;
    give_random(s, "x", wide ? DIST_F64 : DIST_F32, pick_length(s));
}

/* The desk calls with nodes of all these sizes. */
#define EACH_SIZE(s, per_node) for (int per_node = 1; per_node <= (s)->ranks + 1; per_node++)

static void expect_all(struct sitting *s)
{
    EACH_SIZE(s, per_node)
    {
        char name[64];
        snprintf(name, sizeof name, "x (per_node %d)", per_node);
        expect(s, name, given_count(s, 0, "x"), mean);
    }
}

GRADED(the_mean_everywhere, 4)
{
    EACH_SITTING(s, 1, 9) {
        lay_out(s);
        sit(s);
        expect_all(s);
    }
}

/* A group of one needs none. */
static int steps_of(const struct sitting *s, int rank, int per_node, struct step *steps)
{
    int leader = rank - rank % per_node, count = 0, nodes = (s->ranks + per_node - 1) / per_node;
    int members = s->ranks - leader < per_node ? s->ranks - leader : per_node;
    if (members > 1)
        steps[count++] = (struct step){ "reduce", "in its node", leader, 1, members, leader };
    if (rank == leader && nodes > 1)
        steps[count++] = (struct step){ "all_reduce", "between the leaders", 0, per_node, nodes, -1 };
    if (members > 1)
        steps[count++] = (struct step){ "broadcast", "in its node", leader, 1, members, leader };
    return count;
}

static void follow(struct sitting *s, int rank, int per_node)
{
    char when[64];
    struct step steps[3];
    int count = steps_of(s, rank, per_node, steps), groups = (s->ranks + per_node - 1) / per_node + 1;
    int made = steps_calls(s, rank, per_node - 1, "new_group");
    snprintf(when, sizeof when, "per_node %d", per_node);
    claim(s, made == groups, "%s: rank %d makes %d groups; all nodes and the leaders, one of each, are %d",
          when, rank, made, groups);
    steps_follow(s, rank, per_node - 1, when, steps, count);
}

GRADED(only_leaders_meet_across, 4)
{
    EACH_SITTING(s, 2, 8) {
        lay_out(s);
        sit(s);
        expect_all(s);
        for (int r = 0; s->run && r < s->ranks; r++)
            EACH_SIZE(s, per_node)
            {
                follow(s, r, per_node);
            }
    }
}

GRADED(nothing_is_left, 2)
{
    EACH_SITTING(s, 1, 8) {
        lay_out(s);
        sit(s);
        expect_all(s);
        for (int r = 0; r < s->ranks; r++)
            claim(s, handed(s, r, "left", 0) == 0,
                  "rank %d leaves 1 or more groups or tensors behind that nobody gave back", r);
    }
}
