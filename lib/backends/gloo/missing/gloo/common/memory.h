// memory.h: a header that Gloo's own include and Debian's libgloo-dev lacks; found only where there is none (-idirafter). It has what
// classes derived from Gloo's need to know: the size of three kinds of pointers to a buffer. What these do is in Gloo's library.
#ifndef MISSING_GLOO_COMMON_MEMORY_H
#define MISSING_GLOO_COMMON_MEMORY_H

#include <memory>

namespace gloo
{

template <typename T> class NonOwningPtr;

template <typename T> class ShareableNonOwningPtr
{
  public:
    std::shared_ptr<T> memory;
};

template <typename T> class WeakNonOwningPtr
{
  public:
    WeakNonOwningPtr() = default;
    explicit WeakNonOwningPtr(const ShareableNonOwningPtr<T> &buffer) : memory(buffer.memory)
    {
    }
    std::weak_ptr<T> memory;
};

} // namespace gloo

#endif
