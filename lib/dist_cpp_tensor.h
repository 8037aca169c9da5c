/* dist_cpp_tensor.h: the calls of tensor.h as functions of C++; dist_cpp.h tells how. A length that is not given ends the shape. */
#ifndef DIST_CPP_TENSOR_H
#define DIST_CPP_TENSOR_H

#include "tensor.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

/* ---- making and freeing ---------------------------------------------------- */

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

/* ---- looking --------------------------------------------------------------- */

DIST_CPP(dist_type tensor_type(const tensor *t, DIST_CALLER), tensor_type_at(at, t))
DIST_CPP(int64_t tensor_numel(const tensor *t, DIST_CALLER), tensor_numel_at(at, t))
DIST_CPP(int64_t tensor_size(const tensor *t, int dim, DIST_CALLER), tensor_size_at(at, t, dim))
DIST_CPP(dist_device tensor_device(const tensor *t, DIST_CALLER), tensor_device_at(at, t))
DIST_CPP(void tensor_read(const tensor *t, void *values, DIST_CALLER), tensor_read_at(at, t, values))
DIST_CPP(void tensor_write(tensor *t, const void *values, DIST_CALLER), tensor_write_at(at, t, values))
DIST_CPP(bool tensor_equal(const tensor *a, const tensor *b, DIST_CALLER), tensor_equal_at(at, a, b))
DIST_CPP(void *tensor_data(const tensor *t, DIST_CALLER), tensor_data_at(at, t))
DIST_CPP(double tensor_item(const tensor *t, int64_t i, DIST_CALLER), tensor_item_at(at, t, i))

/* ---- arithmetic ------------------------------------------------------------ */

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

#endif
