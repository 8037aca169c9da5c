/*
 * tensor.h: a block of numbers that any rank can reach.
 *
 * A tensor has a type, a shape of up to four dimensions and elements that lie
 * next to each other, the last dimension fastest. Its memory belongs to the
 * library: page-aligned, in a block that all ranks of this machine map, so that
 * a message is one copy, from the sender's tensor straight into the receiver's.
 *
 * Contract for every call below: a NULL or freed tensor, a shape or an index
 * that does not fit, or two types that differ where they must agree, is an
 * error; dist.h says what an error does. Where a call has a destination it comes
 * first, and is changed in place. Element i of a matrix is counted row by row.
 */
#ifndef TENSOR_H
#define TENSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Element types. F16 is IEEE half; BF16 is the upper half of an F32. */
enum dist_type { DIST_F32, DIST_F64, DIST_F16, DIST_BF16, DIST_I32, DIST_I64, DIST_U8 };

typedef struct tensor tensor;

/* Where a tensor lies: dist_streams.h tells what that means. DIST_GPU is the one that DEVICE names, else a simulated one. */
enum dist_device { DIST_HOST, DIST_GPU };

/* A place in the caller's source; every report names it. */
struct dist_at {
    const char *file;
    int line;
};
#define DIST_AT ((struct dist_at){ __FILE__, __LINE__ })

/* A shape, as the functions below take it: a count, then that many lengths. */
#define TENSOR_SHAPE(...) \
    (int)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), (int64_t[]) \
    { \
        __VA_ARGS__ \
    }

/* ---- making and freeing -------------------------------------------------- */

/* tensor_zeros(type, shape...): all elements 0. tensor_zeros(DIST_F32, 10, 20) has 10 rows. */
#define tensor_zeros(type, ...) tensor_full_at(DIST_AT, type, 0, TENSOR_SHAPE(__VA_ARGS__))

/* tensor_full(type, value, shape...): all elements `value`. A length of 0 is allowed. */
#define tensor_full(type, value, ...) tensor_full_at(DIST_AT, type, value, TENSOR_SHAPE(__VA_ARGS__))
tensor *tensor_full_at(struct dist_at at, enum dist_type type, double value, int ndim, const int64_t *shape);

/* tensor_arange(type, start, end): one dimension: start, start + 1, ... below end. */
#define tensor_arange(type, start, end) tensor_arange_at(DIST_AT, type, start, end)
tensor *tensor_arange_at(struct dist_at at, enum dist_type type, double start, double end);

/* tensor_from(type, values, shape...): a copy of a C array that has that type. */
#define tensor_from(type, values, ...) tensor_from_at(DIST_AT, type, values, TENSOR_SHAPE(__VA_ARGS__))
tensor *tensor_from_at(struct dist_at at, enum dist_type type, const void *values, int ndim,
                       const int64_t *shape);

/* tensor_clone(t): a new tensor with the same type, shape and elements. */
#define tensor_clone(t) tensor_clone_at(DIST_AT, t)
tensor *tensor_clone_at(struct dist_at at, const tensor *t);

/* tensor_to(t, device): a new tensor with the same elements on that device. The host waits until they are there. */
#define tensor_to(t, device) tensor_to_at(DIST_AT, t, device)
tensor *tensor_to_at(struct dist_at at, const tensor *t, enum dist_device device);

/* tensor_slice(t, begin, end): entries begin .. end-1 of the first dimension. A view: it
 * shares its elements with t, and stays valid when t is freed first. Free it like any other. */
#define tensor_slice(t, begin, end) tensor_slice_at(DIST_AT, t, begin, end)
tensor *tensor_slice_at(struct dist_at at, const tensor *t, int64_t begin, int64_t end);

/* tensor_free(t): NULL is fine; twice is an error. The memory is used again once no view is left. */
#define tensor_free(t) tensor_free_at(DIST_AT, t)
void tensor_free_at(struct dist_at at, tensor *t);

/* ---- looking ------------------------------------------------------------- */

#define tensor_type(t) tensor_type_at(DIST_AT, t)
enum dist_type tensor_type_at(struct dist_at at, const tensor *t);

#define tensor_numel(t) tensor_numel_at(DIST_AT, t) /* how many elements */
int64_t tensor_numel_at(struct dist_at at, const tensor *t);

#define tensor_size(t, dim) tensor_size_at(DIST_AT, t, dim) /* the length of one dimension */
int64_t tensor_size_at(struct dist_at at, const tensor *t, int dim);

#define tensor_device(t) tensor_device_at(DIST_AT, t)
enum dist_device tensor_device_at(struct dist_at at, const tensor *t);

/* tensor_read(t, values): all elements into a C array of that type; tensor_write: back. The host waits for them. */
#define tensor_read(t, values) tensor_read_at(DIST_AT, t, values)
void tensor_read_at(struct dist_at at, const tensor *t, void *values);
#define tensor_write(t, values) tensor_write_at(DIST_AT, t, values)
void tensor_write_at(struct dist_at at, tensor *t, const void *values);

/* tensor_equal(a, b): the same shape, type and bits? They may lie on different devices. */
#define tensor_equal(a, b) tensor_equal_at(DIST_AT, a, b)
bool tensor_equal_at(struct dist_at at, const tensor *a, const tensor *b);

/* tensor_data(t): where the elements lie. Valid until the tensor and its views are freed. Of a tensor on a GPU it is an
 * address that the program must not touch. */
#define tensor_data(t) tensor_data_at(DIST_AT, t)
void *tensor_data_at(struct dist_at at, const tensor *t);

/* tensor_item(t, i): element i as a double (an I64 beyond 2^53 is rounded). */
#define tensor_item(t, i) tensor_item_at(DIST_AT, t, i)
double tensor_item_at(struct dist_at at, const tensor *t, int64_t i);

/* tensor_print(t, format, ...): one line: the formatted words, then the elements, as
 * "rank 2 holds [200, 201, 202]". It is written in one piece, so ranks do not tear each
 * other's lines; above 16 elements the middle is left out and the count is told. */
#define tensor_print(...) tensor_print_at(DIST_AT, __VA_ARGS__)
void tensor_print_at(struct dist_at at, const tensor *t, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* ---- arithmetic: in place on the first argument, element by element ------- */

#define tensor_set(t, i, value) tensor_set_at(DIST_AT, t, i, value)
void tensor_set_at(struct dist_at at, tensor *t, int64_t i, double value);

#define tensor_fill(t, value) tensor_fill_at(DIST_AT, t, value)
void tensor_fill_at(struct dist_at at, tensor *t, double value);

/* tensor_copy(to, from): as many elements on both sides; the type is converted where it differs. Between host and GPU
 * both types must be the same, and the host waits. */
#define tensor_copy(to, from) tensor_copy_at(DIST_AT, to, from)
void tensor_copy_at(struct dist_at at, tensor *to, const tensor *from);

#define tensor_add(t, other) tensor_add_at(DIST_AT, t, other) /* t += other; same type and count */
void tensor_add_at(struct dist_at at, tensor *t, const tensor *other);

#define tensor_sub(t, other) tensor_sub_at(DIST_AT, t, other) /* t -= other */
void tensor_sub_at(struct dist_at at, tensor *t, const tensor *other);

#define tensor_mul(t, other) tensor_mul_at(DIST_AT, t, other) /* t *= other */
void tensor_mul_at(struct dist_at at, tensor *t, const tensor *other);

#define tensor_add_scalar(t, value) tensor_add_scalar_at(DIST_AT, t, value)
void tensor_add_scalar_at(struct dist_at at, tensor *t, double value);

#define tensor_mul_scalar(t, value) tensor_mul_scalar_at(DIST_AT, t, value)
void tensor_mul_scalar_at(struct dist_at at, tensor *t, double value);

#define tensor_relu(t) tensor_relu_at(DIST_AT, t) /* negative elements become 0 */
void tensor_relu_at(struct dist_at at, tensor *t);

/* tensor_relu_backward(t, y): elements of t become 0 where y's are not above 0: t is the gradient of relu's output y. */
#define tensor_relu_backward(t, y) tensor_relu_backward_at(DIST_AT, t, y)
void tensor_relu_backward_at(struct dist_at at, tensor *t, const tensor *y);

#define tensor_sum(t) tensor_sum_at(DIST_AT, t) /* the sum of all elements, added up as doubles */
double tensor_sum_at(struct dist_at at, const tensor *t);

/* tensor_matmul(out, a, b): out[i][j] = sum over k of a[i][k] * b[k][j]. All three are
 * matrices of one type, F32 or F64; out must not overlap a or b. */
#define tensor_matmul(out, a, b) tensor_matmul_at(DIST_AT, out, a, b)
void tensor_matmul_at(struct dist_at at, tensor *out, const tensor *a, const tensor *b);

/* tensor_transpose(out, a): out[j][i] = a[i][j]; out must not overlap a. */
#define tensor_transpose(out, a) tensor_transpose_at(DIST_AT, out, a)
void tensor_transpose_at(struct dist_at at, tensor *out, const tensor *a);

#endif
