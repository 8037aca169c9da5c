/*
 * kernels_emulated.cc: kernels_test.cu and the kernels that it tests, on the host: emulate.hh says how. `make test` runs it
 * wherever nvcc is, without a GPU.
 */
#include "emulate.hh"

#include "devices/cuda/kernels.cu"

#include "kernels_test.cu"
