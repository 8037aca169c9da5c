/* stretch.c: see stretch.h. */
#include "stretch.h"

#include <stdbool.h>
#include <stddef.h>

static bool stretch_precedes(const struct stretch *a, const struct stretch *b)
{
    return a->begin != b->begin ? a->begin < b->begin : a->number > b->number;
}

/* Whose rank is highest stands above: as good as drawn by lot, so no order of adding makes the treap deep. */
static uint64_t stretch_rank(const struct stretch *stretch)
{
    uint64_t mixed = (stretch->number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
}

static struct stretch *stretch_measure(struct stretch *top)
{
    top->reach = top->end;
    if (top->left && top->left->reach > top->reach)
        top->reach = top->left->reach;
    if (top->right && top->right->reach > top->reach)
        top->reach = top->right->reach;
    return top;
}

/* Those of `top` that precede `at`, and the others. */
static void stretch_split(struct stretch *top, const struct stretch *at, struct stretch **left,
                          struct stretch **right)
{
    if (!top) {
        *left = *right = NULL;
    } else if (stretch_precedes(top, at)) {
        stretch_split(top->right, at, &top->right, right);
        *left = stretch_measure(top);
    } else {
        stretch_split(top->left, at, left, &top->left);
        *right = stretch_measure(top);
    }
}

static struct stretch *stretch_join(struct stretch *left, struct stretch *right)
{
    if (!left || !right)
        return left ? left : right;
    if (stretch_rank(left) > stretch_rank(right)) {
        left->right = stretch_join(left->right, right);
        return stretch_measure(left);
    }
    right->left = stretch_join(left, right->left);
    return stretch_measure(right);
}

void stretch_add(struct stretch **root, struct stretch *stretch)
{
    struct stretch *left, *right;
    stretch->left = stretch->right = NULL;
    stretch_split(*root, stretch, &left, &right);
    *root = stretch_join(stretch_join(left, stretch_measure(stretch)), right);
}

struct stretch *stretch_remove(struct stretch **root, const struct stretch *like)
{
    struct stretch *top = *root, *removed = top;
    if (!top)
        return NULL;
    if (stretch_precedes(like, top))
        removed = stretch_remove(&top->left, like);
    else if (stretch_precedes(top, like))
        removed = stretch_remove(&top->right, like);
    else
        *root = stretch_join(top->left, top->right);
    stretch_measure(top);
    return removed;
}

struct stretch *stretch_find(struct stretch *root, const struct stretch *after, uintptr_t address)
{
    if (!root || root->reach <= address)
        return NULL;
    if (!after || stretch_precedes(after, root)) {
        struct stretch *found = stretch_find(root->left, after, address);
        if (found || root->end > address)
            return found ? found : root;
    }
    return stretch_find(root->right, after, address);
}
