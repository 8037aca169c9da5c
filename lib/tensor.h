/*
 * tensor.h: a block of numbers that any rank can reach. (Longer than our 250 lines: one page that holds every promise.)
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
 *
 * HOW A CALL IS DECLARED. tensor_x(...) is a macro (at the end of this header) that puts the caller's file and line in front of
 * the arguments, of the function tensor_x_at, which is declared. It takes them all as `...`, so that there may be braces, and
 * with them commas, in an argument: tensor_write(t, (float[]){ 1, 2, 3 }). Where the number of arguments varies (a shape, an
 * optional argument), they are members of a struct: tensor_x_with(DIST_ARGS(tensor_x_args, arguments)). In C++
 * all of them are functions (dist.h tells more).
 */
#ifndef TENSOR_H
#define TENSOR_H

#include "dist_base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if UINTPTR_MAX < 0xffffffffffffffff
#error "dist needs a 64-bit system (x86_64, aarch64): all tensors lie in one large block of addresses"
#endif

/* So that a compiler tells of a wrong argument with the line of the call, and not with that of the macro behind it. */
#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tensor tensor;

/* Where a tensor lies: dist_streams.h tells what that means. DIST_GPU is the one that DEVICE names, else a simulated one. */
enum dist_device { DIST_HOST, DIST_GPU };

/* ---- making and freeing -------------------------------------------------- */

/* The lengths of a shape are the last arguments of a call, 1 to 4 of them, and this stands behind. */
#define TENSOR_END INT64_MIN

/* tensor_zeros(type, shape...): all elements 0. tensor_zeros(DIST_F32, 10, 20) has 10 rows. A length of 0 is allowed. */
struct tensor_zeros_args {
    struct dist_at at;
    enum dist_type type;
    int64_t size0, size1, size2, size3, end;
};
tensor *tensor_zeros_with(struct tensor_zeros_args args);

/* tensor_full(type, value, shape...): all elements `value`. */
struct tensor_full_args {
    struct dist_at at;
    enum dist_type type;
    double value;
    int64_t size0, size1, size2, size3, end;
};
tensor *tensor_full_with(struct tensor_full_args args);

/* tensor_from(type, values, shape...): a copy of a C array that has that type. */
struct tensor_from_args {
    struct dist_at at;
    enum dist_type type;
    const void *values;
    int64_t size0, size1, size2, size3, end;
};
tensor *tensor_from_with(struct tensor_from_args args);

/* tensor_arange(type, start, end): one dimension: start, start + 1, ... below end. */
tensor *tensor_arange_at(struct dist_at at, enum dist_type type, double start, double end);

/* tensor_clone(t): a new tensor with the same type, shape and elements. */
tensor *tensor_clone_at(struct dist_at at, const tensor *t);

/* tensor_to(t, device): a new tensor with the same elements on that device. The host waits until they are there. */
tensor *tensor_to_at(struct dist_at at, const tensor *t, enum dist_device device);

/* tensor_slice(t, begin, end): entries begin .. end-1 of the first dimension. A view: it
 * shares its elements with t, and stays valid when t is freed first. Free it like any other. */
tensor *tensor_slice_at(struct dist_at at, const tensor *t, int64_t begin, int64_t end);

/* tensor_view(t, shape...): all elements of t under another shape, which has as many. A view, like a slice. */
struct tensor_view_args {
    struct dist_at at;
    const tensor *t;
    int64_t size0, size1, size2, size3, end;
};
tensor *tensor_view_with(struct tensor_view_args args);

/* tensor_free(t): NULL is fine; twice is an error. The memory is used again once no view is left. */
void tensor_free_at(struct dist_at at, tensor *t);

/* ---- looking ------------------------------------------------------------- */

enum dist_type tensor_type_at(struct dist_at at, const tensor *t);
int64_t tensor_numel_at(struct dist_at at, const tensor *t);         /* how many elements */
int64_t tensor_size_at(struct dist_at at, const tensor *t, int dim); /* the length of one dimension */
enum dist_device tensor_device_at(struct dist_at at, const tensor *t);

/* tensor_read(t, values): all elements into a C array of that type; tensor_write: back. The host waits for them. */
void tensor_read_at(struct dist_at at, const tensor *t, void *values);
void tensor_write_at(struct dist_at at, tensor *t, const void *values);

/* tensor_equal(a, b): the same shape, type and bits? They may lie on different devices. */
bool tensor_equal_at(struct dist_at at, const tensor *a, const tensor *b);

/* tensor_data(t): where the elements lie. Valid until the tensor and its views are freed. Of a tensor on a GPU it is an
 * address there, which only the GPU may touch: a kernel of the program's own, too (dist_stream_native in dist_streams.h). */
void *tensor_data_at(struct dist_at at, const tensor *t);

/* tensor_item(t, i): element i as a double (an I64 beyond 2^53 is rounded). */
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

/* ---- arithmetic: in place on the first argument, element by element ------- *
 *
 * Calls with a number calculate in double and round once: an integer becomes the nearest (ties to even) and stops at the ends of its
 * type; of an I64 beyond 2^53 the last digits are lost. Where only tensors meet integers are exact, and wrap. */

/* tensor_set(t, i, value): element i; tensor_fill(t, value): all of them. */
void tensor_set_at(struct dist_at at, tensor *t, int64_t i, double value);
void tensor_fill_at(struct dist_at at, tensor *t, double value);

/* tensor_copy(to, from): as many elements on both sides; the type is converted where it differs. Between host and GPU
 * both types must be the same, and the host waits. */
void tensor_copy_at(struct dist_at at, tensor *to, const tensor *from);

void tensor_add_at(struct dist_at at, tensor *t, const tensor *other); /* t += other; same type and count */
void tensor_sub_at(struct dist_at at, tensor *t, const tensor *other); /* t -= other */
void tensor_mul_at(struct dist_at at, tensor *t, const tensor *other); /* t *= other */
void tensor_add_scalar_at(struct dist_at at, tensor *t, double value);
void tensor_mul_scalar_at(struct dist_at at, tensor *t, double value);
void tensor_relu_at(struct dist_at at, tensor *t); /* negative elements become 0 */

/* tensor_relu_backward(t, y): elements of t become 0 where y's are not above 0: t is the gradient of relu's output y. */
void tensor_relu_backward_at(struct dist_at at, tensor *t, const tensor *y);

/* tensor_softmax(t): each row (along the last dimension) becomes shares of 1: e^x by the sum of the row's e^x. F32, F64,
 * F16, BF16; calculated in double, rounded once. */
void tensor_softmax_at(struct dist_at at, tensor *t);

/* ---- learning: floats, calculated in double and rounded once ----------------
 *
 * Rows run along the last dimension. x_backward turns the gradient of a loss by what x has given into the gradient by what went
 * into it. Gradients of weights are added to, as torch does with .grad: fill them with 0 before. ids are I64; on the host a number
 * that names no row is an error, on a GPU it gives NaN. */

/* tensor_gelu(t): x / 2 (1 + erf(x / sqrt 2)) for each element. backward: t is the gradient, x what went into gelu. */
void tensor_gelu_at(struct dist_at at, tensor *t);
void tensor_gelu_backward_at(struct dist_at at, tensor *t, const tensor *x);

/* tensor_softmax_backward(t, y): y is what softmax has given. */
void tensor_softmax_backward_at(struct dist_at at, tensor *t, const tensor *y);

/* tensor_causal_mask(t, ahead): of each matrix (the last two dimensions) element [i][j] becomes minus infinity where j > i + ahead:
 * before a softmax, so that query i sees key j only if that is not later. 0 where both count from the same place. */
void tensor_causal_mask_at(struct dist_at at, tensor *t, int64_t ahead);

/* tensor_layer_norm(out, x, weight, bias): each row less its mean, by sqrt(its variance + 1e-5), times weight, plus bias: both
 * have as many elements as a row. out may be x. backward sets dx, and adds to dweight and dbias; these three must be
 * apart from each other and from what is read. */
void tensor_layer_norm_at(struct dist_at at, tensor *out, const tensor *x, const tensor *weight,
                          const tensor *bias);
void tensor_layer_norm_backward_at(struct dist_at at, tensor *dx, tensor *dweight, tensor *dbias,
                                   const tensor *dy, const tensor *x, const tensor *weight);

/* tensor_embedding(out, weight, ids): row i of out becomes row ids[i] of the matrix weight. backward: row ids[i] of dweight
 * += row i of dy. */
void tensor_embedding_at(struct dist_at at, tensor *out, const tensor *weight, const tensor *ids);
void tensor_embedding_backward_at(struct dist_at at, tensor *dweight, const tensor *dy, const tensor *ids);

/* tensor_cross_entropy(losses, logits, ids): losses[i] = minus the log of the share that a softmax of row i gives to ids[i]; a row
 * whose id is below 0 does not count: 0. backward: t, the logits, becomes the gradient of the losses' sum: shares, less 1 for ids[i]. */
void tensor_cross_entropy_at(struct dist_at at, tensor *losses, const tensor *logits, const tensor *ids);
void tensor_cross_entropy_backward_at(struct dist_at at, tensor *t, const tensor *ids);

/* tensor_adamw(w, m, v, gradient, step, rate): a step of AdamW, the step-th from 1 on; m and v are its moments, 0 at first.
 * Optional: .weight_decay (0), .beta1 (0: 0.9), .beta2 (0: 0.999), .epsilon (0: 1e-8). */
struct tensor_adamw_args {
    struct dist_at at;
    tensor *w, *m, *v;
    const tensor *gradient;
    int64_t step;
    double rate, weight_decay, beta1, beta2, epsilon;
};
void tensor_adamw_with(struct tensor_adamw_args args);

/* Bytes of this rank's tensors: now, and at most since the last tensor_reset_peak_memory. A view has none of its own. */
int64_t tensor_memory_allocated(void);
int64_t tensor_max_memory_allocated(void);
void tensor_reset_peak_memory(void);

/* ---- sums and matrices ------------------------------------------------------- */

double tensor_sum_at(struct dist_at at, const tensor *t); /* the sum of all elements, added up as doubles */

/* tensor_matmul(out, a, b): out[i][j] = sum over k of a[i][k] * b[k][j]. All three are
 * matrices of one type, F32 or F64; out must not overlap a or b. */
void tensor_matmul_at(struct dist_at at, tensor *out, const tensor *a, const tensor *b);

/* tensor_transpose(out, a): out[j][i] = a[i][j]; out must not overlap a. */
void tensor_transpose_at(struct dist_at at, tensor *out, const tensor *a);

#ifdef __cplusplus
}

/* A length that is not given ends the shape. */
DIST_CPP(tensor *tensor_zeros(dist_type type, int64_t size0, int64_t size1 = TENSOR_END,
                              int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_zeros_with({ at, type, size0, size1, size2, size3, TENSOR_END }))
DIST_CPP(tensor *tensor_full(dist_type type, double value, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_full_with({ at, type, value, size0, size1, size2, size3, TENSOR_END }))
DIST_CPP(tensor *tensor_from(dist_type type, const void *values, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_from_with({ at, type, values, size0, size1, size2, size3, TENSOR_END }))
DIST_CPP(tensor *tensor_arange(dist_type type, double start, double end, DIST_CALLER),
         tensor_arange_at(at, type, start, end))
DIST_CPP(tensor *tensor_clone(const tensor *t, DIST_CALLER), tensor_clone_at(at, t))
DIST_CPP(tensor *tensor_to(const tensor *t, dist_device device, DIST_CALLER), tensor_to_at(at, t, device))
DIST_CPP(tensor *tensor_slice(const tensor *t, int64_t begin, int64_t end, DIST_CALLER),
         tensor_slice_at(at, t, begin, end))
DIST_CPP(tensor *tensor_view(const tensor *t, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_view_with({ at, t, size0, size1, size2, size3, TENSOR_END }))
DIST_CPP(void tensor_free(tensor *t, DIST_CALLER), tensor_free_at(at, t))
DIST_CPP(dist_type tensor_type(const tensor *t, DIST_CALLER), tensor_type_at(at, t))
DIST_CPP(int64_t tensor_numel(const tensor *t, DIST_CALLER), tensor_numel_at(at, t))
DIST_CPP(int64_t tensor_size(const tensor *t, int dim, DIST_CALLER), tensor_size_at(at, t, dim))
DIST_CPP(dist_device tensor_device(const tensor *t, DIST_CALLER), tensor_device_at(at, t))
DIST_CPP(void tensor_read(const tensor *t, void *values, DIST_CALLER), tensor_read_at(at, t, values))
DIST_CPP(void tensor_write(tensor *t, const void *values, DIST_CALLER), tensor_write_at(at, t, values))
DIST_CPP(bool tensor_equal(const tensor *a, const tensor *b, DIST_CALLER), tensor_equal_at(at, a, b))
DIST_CPP(void *tensor_data(const tensor *t, DIST_CALLER), tensor_data_at(at, t))
DIST_CPP(double tensor_item(const tensor *t, int64_t i, DIST_CALLER), tensor_item_at(at, t, i))
DIST_CPP(void tensor_set(tensor *t, int64_t i, double value, DIST_CALLER), tensor_set_at(at, t, i, value))
DIST_CPP(void tensor_fill(tensor *t, double value, DIST_CALLER), tensor_fill_at(at, t, value))
DIST_CPP(void tensor_copy(tensor *to, const tensor *from, DIST_CALLER), tensor_copy_at(at, to, from))
DIST_CPP(void tensor_add(tensor *t, const tensor *other, DIST_CALLER), tensor_add_at(at, t, other))
DIST_CPP(void tensor_sub(tensor *t, const tensor *other, DIST_CALLER), tensor_sub_at(at, t, other))
DIST_CPP(void tensor_mul(tensor *t, const tensor *other, DIST_CALLER), tensor_mul_at(at, t, other))
DIST_CPP(void tensor_add_scalar(tensor *t, double value, DIST_CALLER), tensor_add_scalar_at(at, t, value))
DIST_CPP(void tensor_mul_scalar(tensor *t, double value, DIST_CALLER), tensor_mul_scalar_at(at, t, value))
DIST_CPP(void tensor_relu(tensor *t, DIST_CALLER), tensor_relu_at(at, t))
DIST_CPP(void tensor_relu_backward(tensor *t, const tensor *y, DIST_CALLER),
         tensor_relu_backward_at(at, t, y))
DIST_CPP(void tensor_softmax(tensor *t, DIST_CALLER), tensor_softmax_at(at, t))
DIST_CPP(void tensor_gelu(tensor *t, DIST_CALLER), tensor_gelu_at(at, t))
DIST_CPP(void tensor_gelu_backward(tensor *t, const tensor *x, DIST_CALLER),
         tensor_gelu_backward_at(at, t, x))
DIST_CPP(void tensor_softmax_backward(tensor *t, const tensor *y, DIST_CALLER),
         tensor_softmax_backward_at(at, t, y))
DIST_CPP(void tensor_causal_mask(tensor *t, int64_t ahead, DIST_CALLER), tensor_causal_mask_at(at, t, ahead))
DIST_CPP(void tensor_layer_norm(tensor *out, const tensor *x, const tensor *weight, const tensor *bias,
                                DIST_CALLER),
         tensor_layer_norm_at(at, out, x, weight, bias))
DIST_CPP(void tensor_layer_norm_backward(tensor *dx, tensor *dweight, tensor *dbias, const tensor *dy,
                                         const tensor *x, const tensor *weight, DIST_CALLER),
         tensor_layer_norm_backward_at(at, dx, dweight, dbias, dy, x, weight))
DIST_CPP(void tensor_embedding(tensor *out, const tensor *weight, const tensor *ids, DIST_CALLER),
         tensor_embedding_at(at, out, weight, ids))
DIST_CPP(void tensor_embedding_backward(tensor *dweight, const tensor *dy, const tensor *ids, DIST_CALLER),
         tensor_embedding_backward_at(at, dweight, dy, ids))
DIST_CPP(void tensor_cross_entropy(tensor *losses, const tensor *logits, const tensor *ids, DIST_CALLER),
         tensor_cross_entropy_at(at, losses, logits, ids))
DIST_CPP(void tensor_cross_entropy_backward(tensor *t, const tensor *ids, DIST_CALLER),
         tensor_cross_entropy_backward_at(at, t, ids))
DIST_CPP(void tensor_adamw(tensor *w, tensor *m, tensor *v, const tensor *gradient, int64_t step, double rate,
                           double weight_decay = 0, double beta1 = 0, double beta2 = 0, double epsilon = 0,
                           DIST_CALLER),
         tensor_adamw_with({ at, w, m, v, gradient, step, rate, weight_decay, beta1, beta2, epsilon }))
DIST_CPP(double tensor_sum(const tensor *t, DIST_CALLER), tensor_sum_at(at, t))
DIST_CPP(void tensor_matmul(tensor *out, const tensor *a, const tensor *b, DIST_CALLER),
         tensor_matmul_at(at, out, a, b))
DIST_CPP(void tensor_transpose(tensor *out, const tensor *a, DIST_CALLER), tensor_transpose_at(at, out, a))

#else

/* The arguments of a call: its place, and what is given. */
#define DIST_ARGS(name, ...) ((struct name){ .at = { __FILE__, __LINE__ }, __VA_ARGS__ })
#define tensor_zeros(...) tensor_zeros_with(DIST_ARGS(tensor_zeros_args, .type = __VA_ARGS__, TENSOR_END))
#define tensor_full(...) tensor_full_with(DIST_ARGS(tensor_full_args, .type = __VA_ARGS__, TENSOR_END))
#define tensor_from(...) tensor_from_with(DIST_ARGS(tensor_from_args, .type = __VA_ARGS__, TENSOR_END))
#define tensor_arange(...) tensor_arange_at(DIST_AT, __VA_ARGS__)
#define tensor_clone(...) tensor_clone_at(DIST_AT, __VA_ARGS__)
#define tensor_to(...) tensor_to_at(DIST_AT, __VA_ARGS__)
#define tensor_slice(...) tensor_slice_at(DIST_AT, __VA_ARGS__)
#define tensor_view(...) tensor_view_with(DIST_ARGS(tensor_view_args, .t = __VA_ARGS__, TENSOR_END))
#define tensor_free(...) tensor_free_at(DIST_AT, __VA_ARGS__)
#define tensor_type(...) tensor_type_at(DIST_AT, __VA_ARGS__)
#define tensor_numel(...) tensor_numel_at(DIST_AT, __VA_ARGS__)
#define tensor_size(...) tensor_size_at(DIST_AT, __VA_ARGS__)
#define tensor_device(...) tensor_device_at(DIST_AT, __VA_ARGS__)
#define tensor_read(...) tensor_read_at(DIST_AT, __VA_ARGS__)
#define tensor_write(...) tensor_write_at(DIST_AT, __VA_ARGS__)
#define tensor_equal(...) tensor_equal_at(DIST_AT, __VA_ARGS__)
#define tensor_data(...) tensor_data_at(DIST_AT, __VA_ARGS__)
#define tensor_item(...) tensor_item_at(DIST_AT, __VA_ARGS__)
#define tensor_set(...) tensor_set_at(DIST_AT, __VA_ARGS__)
#define tensor_fill(...) tensor_fill_at(DIST_AT, __VA_ARGS__)
#define tensor_copy(...) tensor_copy_at(DIST_AT, __VA_ARGS__)
#define tensor_add(...) tensor_add_at(DIST_AT, __VA_ARGS__)
#define tensor_sub(...) tensor_sub_at(DIST_AT, __VA_ARGS__)
#define tensor_mul(...) tensor_mul_at(DIST_AT, __VA_ARGS__)
#define tensor_add_scalar(...) tensor_add_scalar_at(DIST_AT, __VA_ARGS__)
#define tensor_mul_scalar(...) tensor_mul_scalar_at(DIST_AT, __VA_ARGS__)
#define tensor_relu(...) tensor_relu_at(DIST_AT, __VA_ARGS__)
#define tensor_relu_backward(...) tensor_relu_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_softmax(...) tensor_softmax_at(DIST_AT, __VA_ARGS__)
#define tensor_gelu(...) tensor_gelu_at(DIST_AT, __VA_ARGS__)
#define tensor_gelu_backward(...) tensor_gelu_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_softmax_backward(...) tensor_softmax_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_causal_mask(...) tensor_causal_mask_at(DIST_AT, __VA_ARGS__)
#define tensor_layer_norm(...) tensor_layer_norm_at(DIST_AT, __VA_ARGS__)
#define tensor_layer_norm_backward(...) tensor_layer_norm_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_embedding(...) tensor_embedding_at(DIST_AT, __VA_ARGS__)
#define tensor_embedding_backward(...) tensor_embedding_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_cross_entropy(...) tensor_cross_entropy_at(DIST_AT, __VA_ARGS__)
#define tensor_cross_entropy_backward(...) tensor_cross_entropy_backward_at(DIST_AT, __VA_ARGS__)
#define tensor_adamw(...) tensor_adamw_with(DIST_ARGS(tensor_adamw_args, .w = __VA_ARGS__))
#define tensor_sum(...) tensor_sum_at(DIST_AT, __VA_ARGS__)
#define tensor_matmul(...) tensor_matmul_at(DIST_AT, __VA_ARGS__)
#define tensor_transpose(...) tensor_transpose_at(DIST_AT, __VA_ARGS__)

#endif

#endif
