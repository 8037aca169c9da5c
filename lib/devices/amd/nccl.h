/* nccl.h: RCCL has NCCL's names. Where its header is not installed, NCCL's own does for a compile check. */
#if defined(__has_include)
#if __has_include(<rccl/rccl.h>)
#include <rccl/rccl.h>
#define HAVE_RCCL
#endif
#endif
#ifndef HAVE_RCCL
#pragma GCC system_header
#include_next <nccl.h>
#endif
