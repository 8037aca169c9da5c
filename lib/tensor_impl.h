/* tensor_impl.h: what a tensor is made of, for the library's own eyes. */
#ifndef TENSOR_IMPL_H
#define TENSOR_IMPL_H

#include "dtype.h"
#include "handles.h"
#include "tensor.h"

struct context;
struct gpu;
struct kernel;

#define TENSOR_DIMS 4

/* The memory behind one tensor and its views. Only the rank that made it touches the count. */
struct storage {
    void *data; /* from the device's allocator */
    size_t bytes;
    unsigned char *tail;     /* bytes behind these that nobody may write: tensor_tail.h; NULL: nobody looks */
    struct dist_at made_at;  /* the first tensor that looked at it */
    int users;               /* tensors that look at it */
    struct gpu *gpu;         /* streams/gpu.h; NULL: it lies on the host */
    struct guarded *guarded; /* a GPU's: diagnose/guard.h */
};

struct tensor {
    uint32_t live; /* TENSOR_LIVE, else it was freed */
    enum dist_type type;
    int ndim;
    int64_t shape[TENSOR_DIMS];
    int64_t numel;
    void *data; /* storage->data plus the view's offset */
    struct storage *storage;
    struct gpu *gpu; /* storage->gpu */
    size_t bytes;    /* of its elements */
    const void *
        reach; /* the world that it lies in, where all ranks can read it; NULL: in none, freed, or with a tail */
    struct dist_at made_at;
    struct handle handle;
};
#define TENSOR_LIVE 0x7e4507u

/* Do their elements lie over each other? */
static inline bool tensor_overlap(const tensor *a, const tensor *b)
{
    const char *from_a = a->data, *from_b = b->data;
    return a->bytes > 0 && b->bytes > 0 && from_a < from_b + b->bytes && from_b < from_a + a->bytes;
}

/* A usable tensor that lies on a GPU; of one that cannot be used the checks of the call will tell. */
static inline bool tensor_on_gpu(const tensor *t)
{
    return t && t->live == TENSOR_LIVE && t->gpu;
}

/* For the tensor calls: true where all is well; else the error is reported in the name of `call`. */
bool tensor_check(const char *call, struct dist_at at, const tensor *t);

/* tensor_check, and with DIST_CHECK=1 also: no message needs its elements as they are (checked.c); of one element also
 * tensor_index. */
bool tensor_may_read(const char *call, struct dist_at at, const tensor *t);
bool tensor_may_write(const char *call, struct dist_at at, const tensor *t);
bool tensor_may_touch_element(const char *call, struct dist_at at, const tensor *t, int64_t i, bool writes);
bool tensor_may_free(const char *call, struct dist_at at, const tensor *t);

/* The shape among the arguments of a call: an array; how many lengths it has, and how many elements (-1: it makes no sense,
 * reported). */
#define SHAPE_OF(a) ((int64_t[]){ (a).size0, (a).size1, (a).size2, (a).size3, (a).end })
int tensor_dims(const int64_t *shape);
int64_t tensor_count(const char *call, struct dist_at at, enum dist_type type, int ndim,
                     const int64_t *shape);

/* Does element i exist? False: reported. */
bool tensor_index(const char *call, struct dist_at at, const tensor *t, int64_t i);

/* Run a kernel where the tensor lies, in the name of `call`. */
void tensor_run(const char *call, struct dist_at at, const tensor *t, struct kernel kernel);

/* The shape in words, "2 x 3", written into text, which is returned. */
const char *tensor_shape_words(const tensor *t, char *text, size_t size);

/* A tensor of that type and shape, that looks at a storage. NULL: no memory. And put it aside: true where it was the last that
 * looked at its storage. */
struct tensor *tensor_handle_take(struct context *context, struct tensor shaped, struct storage *storage);
bool tensor_handle_give(struct context *context, struct tensor *t);

#endif
