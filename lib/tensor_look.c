/*
 * tensor_look.c: what a tensor is and what it holds.
 */
#include "context.h"

/* True where element i exists, else it is reported. */
static bool check_index(const char *call, struct dist_at at, const tensor *t, int64_t i)
{
    if (i >= 0 && i < t->numel)
        return true;
    if (t->numel == 0)
        report_tensor(call, at, DIST_ERR_ARGUMENT, "index %lld is outside: the tensor has no elements",
                      (long long)i);
    else
        report_tensor(call, at, DIST_ERR_ARGUMENT,
                      "index %lld is outside: the tensor has %lld element%s (0 to %lld)", (long long)i,
                      (long long)t->numel, t->numel == 1 ? "" : "s", (long long)t->numel - 1);
    return false;
}

enum dist_type tensor_type_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_type", at, t) ? t->type : DIST_F32;
}

int64_t tensor_numel_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_numel", at, t) ? t->numel : 0;
}

int64_t tensor_size_at(struct dist_at at, const tensor *t, int dim)
{
    if (!tensor_check("tensor_size", at, t))
        return 0;
    if (dim >= 0 && dim < t->ndim)
        return t->shape[dim];
    report_tensor("tensor_size", at, DIST_ERR_ARGUMENT,
                  "there is no dimension %d: the tensor has %d (0 to %d)", dim, t->ndim, t->ndim - 1);
    return 0;
}

void *tensor_data_at(struct dist_at at, const tensor *t)
{
    return tensor_check("tensor_data", at, t) ? t->data : NULL;
}

double tensor_item_at(struct dist_at at, const tensor *t, int64_t i)
{
    return tensor_may_read("tensor_item", at, t) && check_index("tensor_item", at, t, i)
               ? dtype_load(t->type, t->data, i)
               : 0;
}

void tensor_set_at(struct dist_at at, tensor *t, int64_t i, double value)
{
    if (tensor_may_write("tensor_set", at, t) && check_index("tensor_set", at, t, i))
        dtype_store(t->type, t->data, i, value);
}
