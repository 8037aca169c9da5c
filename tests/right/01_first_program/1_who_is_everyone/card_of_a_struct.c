/* A struct, helpers with names that others have too, and much printing. */
#include "dist.h"

struct card {
    float rank, ranks, secret;
};

static struct card find(tensor *secret)
{
    struct card card = { (float)dist_get_rank(), (float)dist_get_world_size(), 0 };
    tensor_read(secret, &card.secret);
    return card;
}

static void put(tensor *list, struct card card)
{
    dist_span("put %g of %g", card.rank, card.ranks) {
        tensor *t = tensor_from(DIST_F32, &card, 3);
        tensor_print(t, "rank %d writes", dist_get_rank());
        dist_all_gather(list, t);
        tensor_free(t);
    }
    tensor_print(list, "rank %d knows now", dist_get_rank());
}

void who_is_everyone(tensor *list, tensor *secret)
{
    put(list, find(secret));
}
