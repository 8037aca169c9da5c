/* dist_cpp_tensor.h: the calls of tensor.h as functions of C++; dist_cpp.h tells how. A length that is not given ends the shape. */
#ifndef DIST_CPP_TENSOR_H
#define DIST_CPP_TENSOR_H

#include "tensor.h"

#if defined(__GNUC__) && !defined(DIST_OWN_WARNINGS)
#pragma GCC system_header /* as in tensor.h */
#endif

/* ---- making and freeing ---------------------------------------------------- */

#undef tensor_zeros
DIST_CPP(tensor *tensor_zeros(dist_type type, int64_t size0, int64_t size1 = TENSOR_END,
                              int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_zeros_with({ { file, line }, type, size0, size1, size2, size3, TENSOR_END }))
#undef tensor_full
DIST_CPP(tensor *tensor_full(dist_type type, double value, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_full_with({ { file, line }, type, value, size0, size1, size2, size3, TENSOR_END }))
#undef tensor_from
DIST_CPP(tensor *tensor_from(dist_type type, const void *values, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_from_with({ { file, line }, type, values, size0, size1, size2, size3, TENSOR_END }))
#undef tensor_arange
DIST_CPP(tensor *tensor_arange(dist_type type, double start, double end, DIST_CALLER),
         tensor_arange_at({ file, line }, type, start, end))
#undef tensor_clone
DIST_CPP(tensor *tensor_clone(const tensor *t, DIST_CALLER), tensor_clone_at({ file, line }, t))
#undef tensor_to
DIST_CPP(tensor *tensor_to(const tensor *t, dist_device device, DIST_CALLER),
         tensor_to_at({ file, line }, t, device))
#undef tensor_slice
DIST_CPP(tensor *tensor_slice(const tensor *t, int64_t begin, int64_t end, DIST_CALLER),
         tensor_slice_at({ file, line }, t, begin, end))
#undef tensor_view
DIST_CPP(tensor *tensor_view(const tensor *t, int64_t size0, int64_t size1 = TENSOR_END,
                             int64_t size2 = TENSOR_END, int64_t size3 = TENSOR_END, DIST_CALLER),
         tensor_view_with({ { file, line }, t, size0, size1, size2, size3, TENSOR_END }))
#undef tensor_free
DIST_CPP(void tensor_free(tensor *t, DIST_CALLER), tensor_free_at({ file, line }, t))

/* ---- looking --------------------------------------------------------------- */

#undef tensor_type
DIST_CPP(dist_type tensor_type(const tensor *t, DIST_CALLER), tensor_type_at({ file, line }, t))
#undef tensor_numel
DIST_CPP(int64_t tensor_numel(const tensor *t, DIST_CALLER), tensor_numel_at({ file, line }, t))
#undef tensor_size
DIST_CPP(int64_t tensor_size(const tensor *t, int dim, DIST_CALLER), tensor_size_at({ file, line }, t, dim))
#undef tensor_device
DIST_CPP(dist_device tensor_device(const tensor *t, DIST_CALLER), tensor_device_at({ file, line }, t))
#undef tensor_read
DIST_CPP(void tensor_read(const tensor *t, void *values, DIST_CALLER),
         tensor_read_at({ file, line }, t, values))
#undef tensor_write
DIST_CPP(void tensor_write(tensor *t, const void *values, DIST_CALLER),
         tensor_write_at({ file, line }, t, values))
#undef tensor_equal
DIST_CPP(bool tensor_equal(const tensor *a, const tensor *b, DIST_CALLER),
         tensor_equal_at({ file, line }, a, b))
#undef tensor_data
DIST_CPP(void *tensor_data(const tensor *t, DIST_CALLER), tensor_data_at({ file, line }, t))
#undef tensor_item
DIST_CPP(double tensor_item(const tensor *t, int64_t i, DIST_CALLER), tensor_item_at({ file, line }, t, i))

/* ---- arithmetic ------------------------------------------------------------ */

#undef tensor_set
DIST_CPP(void tensor_set(tensor *t, int64_t i, double value, DIST_CALLER),
         tensor_set_at({ file, line }, t, i, value))
#undef tensor_fill
DIST_CPP(void tensor_fill(tensor *t, double value, DIST_CALLER), tensor_fill_at({ file, line }, t, value))
#undef tensor_copy
DIST_CPP(void tensor_copy(tensor *to, const tensor *from, DIST_CALLER),
         tensor_copy_at({ file, line }, to, from))
#undef tensor_add
DIST_CPP(void tensor_add(tensor *t, const tensor *other, DIST_CALLER),
         tensor_add_at({ file, line }, t, other))
#undef tensor_sub
DIST_CPP(void tensor_sub(tensor *t, const tensor *other, DIST_CALLER),
         tensor_sub_at({ file, line }, t, other))
#undef tensor_mul
DIST_CPP(void tensor_mul(tensor *t, const tensor *other, DIST_CALLER),
         tensor_mul_at({ file, line }, t, other))
#undef tensor_add_scalar
DIST_CPP(void tensor_add_scalar(tensor *t, double value, DIST_CALLER),
         tensor_add_scalar_at({ file, line }, t, value))
#undef tensor_mul_scalar
DIST_CPP(void tensor_mul_scalar(tensor *t, double value, DIST_CALLER),
         tensor_mul_scalar_at({ file, line }, t, value))
#undef tensor_relu
DIST_CPP(void tensor_relu(tensor *t, DIST_CALLER), tensor_relu_at({ file, line }, t))
#undef tensor_relu_backward
DIST_CPP(void tensor_relu_backward(tensor *t, const tensor *y, DIST_CALLER),
         tensor_relu_backward_at({ file, line }, t, y))
#undef tensor_softmax
DIST_CPP(void tensor_softmax(tensor *t, DIST_CALLER), tensor_softmax_at({ file, line }, t))
#undef tensor_gelu
DIST_CPP(void tensor_gelu(tensor *t, DIST_CALLER), tensor_gelu_at({ file, line }, t))
#undef tensor_gelu_backward
DIST_CPP(void tensor_gelu_backward(tensor *t, const tensor *x, DIST_CALLER),
         tensor_gelu_backward_at({ file, line }, t, x))
#undef tensor_softmax_backward
DIST_CPP(void tensor_softmax_backward(tensor *t, const tensor *y, DIST_CALLER),
         tensor_softmax_backward_at({ file, line }, t, y))
#undef tensor_causal_mask
DIST_CPP(void tensor_causal_mask(tensor *t, int64_t ahead, DIST_CALLER),
         tensor_causal_mask_at({ file, line }, t, ahead))
#undef tensor_layer_norm
DIST_CPP(void tensor_layer_norm(tensor *out, const tensor *x, const tensor *weight, const tensor *bias,
                                DIST_CALLER),
         tensor_layer_norm_at({ file, line }, out, x, weight, bias))
#undef tensor_layer_norm_backward
DIST_CPP(void tensor_layer_norm_backward(tensor *dx, tensor *dweight, tensor *dbias, const tensor *dy,
                                         const tensor *x, const tensor *weight, DIST_CALLER),
         tensor_layer_norm_backward_at({ file, line }, dx, dweight, dbias, dy, x, weight))
#undef tensor_embedding
DIST_CPP(void tensor_embedding(tensor *out, const tensor *weight, const tensor *ids, DIST_CALLER),
         tensor_embedding_at({ file, line }, out, weight, ids))
#undef tensor_embedding_backward
DIST_CPP(void tensor_embedding_backward(tensor *dweight, const tensor *dy, const tensor *ids, DIST_CALLER),
         tensor_embedding_backward_at({ file, line }, dweight, dy, ids))
#undef tensor_cross_entropy
DIST_CPP(void tensor_cross_entropy(tensor *losses, const tensor *logits, const tensor *ids, DIST_CALLER),
         tensor_cross_entropy_at({ file, line }, losses, logits, ids))
#undef tensor_cross_entropy_backward
DIST_CPP(void tensor_cross_entropy_backward(tensor *t, const tensor *ids, DIST_CALLER),
         tensor_cross_entropy_backward_at({ file, line }, t, ids))
#undef tensor_adamw
DIST_CPP(
    void tensor_adamw(tensor *w, tensor *m, tensor *v, const tensor *gradient, int64_t step, double rate,
                      double weight_decay = 0, double beta1 = 0, double beta2 = 0, double epsilon = 0,
                      DIST_CALLER),
    tensor_adamw_with({ { file, line }, w, m, v, gradient, step, rate, weight_decay, beta1, beta2, epsilon }))
#undef tensor_sum
DIST_CPP(double tensor_sum(const tensor *t, DIST_CALLER), tensor_sum_at({ file, line }, t))
#undef tensor_matmul
DIST_CPP(void tensor_matmul(tensor *out, const tensor *a, const tensor *b, DIST_CALLER),
         tensor_matmul_at({ file, line }, out, a, b))
#undef tensor_transpose
DIST_CPP(void tensor_transpose(tensor *out, const tensor *a, DIST_CALLER),
         tensor_transpose_at({ file, line }, out, a))

#endif
