/*
 * tensor_view.c: tensors that look at the elements of another.
 */
#include "context.h"

#include <string.h>

/* A second handle on the elements of a tensor, which has the shape already that it is to have: what messages need to know of it
 * (bytes, where it can be reached) follows from that. NULL: reported. */
static struct tensor *tensor_view_view_of(const char *call, struct dist_at at, struct tensor shaped)
{
    shaped.made_at = at;
    struct tensor *view = tensor_handle_take(context_get(), shaped, shaped.storage);
    if (!view)
        report_tensor(call, at, DIST_ERR_MEMORY, "no memory for a view; free what is no longer needed");
    return view;
}

tensor *tensor_slice_at(struct dist_at at, const tensor *t, int64_t begin, int64_t end)
{
    if (!tensor_check("tensor_slice", at, t))
        return NULL;
    if (begin < 0 || begin > end || end > t->shape[0])
        return refuse("tensor_slice", at,
                      "%lld to %lld is outside: the first dimension has %lld entries, so 0 <= begin <= end "
                      "<= %lld",
                      (long long)begin, (long long)end, (long long)t->shape[0], (long long)t->shape[0]),
               NULL;
    struct tensor slice = *t;
    int64_t entry = t->shape[0] ? t->numel / t->shape[0] : 0;
    slice.shape[0] = end - begin;
    slice.numel = (end - begin) * entry;
    slice.data = (char *)t->data + begin * entry * (int64_t)dtype_size(t->type);
    return tensor_view_view_of("tensor_slice", at, slice);
}

tensor *tensor_view_with(struct tensor_view_args a)
{
    const int64_t *shape = SHAPE_OF(a);
    int ndim = tensor_dims(shape);
    if (!tensor_check("tensor_view", a.at, a.t))
        return NULL;
    int64_t numel = tensor_count("tensor_view", a.at, a.t->type, ndim, shape);
    if (numel < 0)
        return NULL;
    if (numel != a.t->numel)
        return refuse("tensor_view", a.at,
                      "that shape has %lld elements, the tensor %lld; both must have as many",
                      (long long)numel, (long long)a.t->numel),
               NULL;
    struct tensor other = *a.t;
    other.ndim = ndim;
    memcpy(other.shape, shape, (size_t)ndim * sizeof(*shape));
    return tensor_view_view_of("tensor_view", a.at, other);
}
