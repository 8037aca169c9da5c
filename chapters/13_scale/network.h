/*
 * network.h: a network to simulate: nodes with fast ports inside, cards between them, and pods of nodes whose way to other pods may be
 * narrow.
 *
 *     pod        ================== spine ==================      bytes a second of a pod, shared by all who leave it
 *     node       [card card ...]           [card card ...]        one for each GPU, or fewer, shared
 *     GPU        port port ...             port port ...          NVLink
 *
 * A message is announced, answered when its receiver wants it, and then its data move at the rate that the narrowest of its links has
 * left: messages on a link share it evenly. Alpha is what that takes beside the bytes, in three parts; some bytes may set out with the
 * announcement (message.h has the picture).
 */
#ifndef NETWORK_H
#define NETWORK_H

enum { MOST_LINKS = 6 }; /* of a message */

/* What a message costs beside its bytes. Where a receiver need not be asked, as in LogGP, the first two are 0. */
struct protocol {
    double announce; /* seconds; request to send (RTS): from the sender to the receiver */
    double answer;   /* clear to send (CTS): back, once the receiver wants the message */
    double flight;   /* of the data: from when the last byte has left until it is there */
    double early;    /* bytes that set out with the announcement */
    double small;    /* up to so many bytes, a message of an exchange needs no answer */
};

struct network {
    int ranks, per_node, cards; /* cards of a node */
    int pod;                    /* nodes; 0: no pods */
    struct protocol near, far;  /* inside a node, between nodes */
    double port, card, spine;   /* bytes a second */
};

/* A DGX H100 with a card of 400 Gbit/s for each GPU; latencies as measure.c of chapter 08 would find them between two GPUs, whose
 * receiver has told beforehand where data may be put: nobody waits for an answer. */
static inline struct network dgx_h100(int ranks)
{
    return (struct network){ .ranks = ranks,
                             .per_node = 8,
                             .cards = 8,
                             .near.flight = 3e-6,
                             .far.flight = 10e-6,
                             .port = 370e9,
                             .card = 47e9 };
}

static inline int links_count(const struct network *n)
{
    int nodes = (n->ranks + n->per_node - 1) / n->per_node;
    return 2 * n->ranks + 2 * nodes * n->cards + (n->pod ? 2 * ((nodes + n->pod - 1) / n->pod) : 0);
}

static inline double link_rate(const struct network *n, int link)
{
    int nodes = (n->ranks + n->per_node - 1) / n->per_node;
    return link < 2 * n->ranks ? n->port : link < 2 * n->ranks + 2 * nodes * n->cards ? n->card : n->spine;
}

/* Out of a rank's, or into it: links are numbered port out, port in, card out, card in, spine out, spine in. */
static inline int card_link(const struct network *n, int rank, int in)
{
    int node = rank / n->per_node, place = rank % n->per_node * n->cards / n->per_node;
    return 2 * n->ranks + 2 * (node * n->cards + place) + in;
}

static inline int spine_link(const struct network *n, int rank, int in)
{
    int nodes = (n->ranks + n->per_node - 1) / n->per_node;
    return 2 * n->ranks + 2 * nodes * n->cards + 2 * (rank / n->per_node / n->pod) + in;
}

static inline int is_near(const struct network *n, int a, int b)
{
    return a / n->per_node == b / n->per_node;
}

static inline const struct protocol *protocol_between(const struct network *n, int from, int to)
{
    return is_near(n, from, to) ? &n->near : &n->far;
}

/* The links from one rank to another; how many. */
static inline int way_between(const struct network *n, int from, int to, int links[MOST_LINKS])
{
    int count = 0;
    if (is_near(n, from, to)) {
        links[count++] = 2 * from;
        links[count++] = 2 * to + 1;
        return count;
    }
    links[count++] = card_link(n, from, 0);
    links[count++] = card_link(n, to, 1);
    if (n->pod && from / n->per_node / n->pod != to / n->per_node / n->pod) {
        links[count++] = spine_link(n, from, 0);
        links[count++] = spine_link(n, to, 1);
    }
    return count;
}

#endif
