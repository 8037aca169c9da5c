/* Grades 04.1: gradients travel back through the stages. */
#include "../../grader/grader.h"
#include "../../grader/network.h"

const struct exercise exercise = {
    .title = "The backward pass of a pipeline",
    .forbidden = COLLECTIVES,
    .drawing = "spacetime",
};

GRADED(gradients_of_every_layer, 7)
{
    EACH_SITTING(s, 1, 8) {
        network_lay_out(s, (int)pick(s, 1, 4));
        sit(s);
        expect(s, "dw", NETWORK_WIDTH * NETWORK_WIDTH, network_gradient);
    }
}

GRADED(one_message_each_way, 3)
{
    EACH_SITTING(s, 2, 8) {
        network_lay_out(s, (int)pick(s, 1, 4));
        sit(s);
        expect(s, "dw", NETWORK_WIDTH * NETWORK_WIDTH, network_gradient);
        for (int r = 0; r < s->ranks; r++) {
            int back = r > 0, forward = r < s->ranks - 1;
            int sends_back = way_sends_to(s, r, r - 1), sends_forward = way_sends_to(s, r, r + 1);
            claim(
                s, sends_back == back && sends_forward == forward && way_sends(s, r) == back + forward,
                "messages sent by rank %d: %d, to the stage before: %d, to the next: %d; expected %d and %d",
                r, way_sends(s, r), sends_back, sends_forward, back, forward);
            int64_t bytes = (back + forward) * (int64_t)given(s, r, "rows", 0) * NETWORK_WIDTH * 8;
            claim(s, way_bytes(s, r) == bytes,
                  "rank %d sent %lld bytes; an activation for the next stage and a gradient for the one "
                  "before are %lld",
                  r, (long long)way_bytes(s, r), (long long)bytes);
        }
    }
}
