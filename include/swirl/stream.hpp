/// CUDA streams, without CUDA's headers.
#pragma once

#include <swirl/arrays.hpp>

#include <cstddef>
#include <type_traits>

namespace swirl::gpu {

/// A CUDA stream: a cudaStream_t or CUstream. Default-constructed: the default stream.
class Stream {
public:
    Stream() = default;
    Stream(std::nullptr_t) {}
    template <class Handle,
              std::enable_if_t<std::is_class_v<Handle> && !swirl::detail::is_array_element<Handle>, int> = 0>
    Stream(Handle* handle) : handle_(handle) {}
    explicit Stream(void* handle) : handle_(handle) {}
    void* handle() const { return handle_; }

private:
    void* handle_ = nullptr;
};

} // namespace swirl::gpu
