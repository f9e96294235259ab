#pragma once

#include <swirl/kinds.hpp>

#include <cstddef>

namespace swirl::blas {

/// Scratch buffers of routines; each kind has its own memory in every thread.
enum class Scratch : unsigned char {
    block,     ///< one or several diagonal blocks with both triangles
    triangle,  ///< a diagonal block's triangle in the kernels' layout
    workspace, ///< of kernels
};

/// `bytes` of thread-local memory, aligned to a cache line, valid until the thread's next request of this kind. The
/// memory stays with the thread: only a larger request than ever before allocates.
void* scratch_bytes(Scratch kind, std::size_t bytes);

template <class T> T* scratch(Scratch kind, Integer count) {
    return static_cast<T*>(scratch_bytes(kind, static_cast<std::size_t>(count) * sizeof(T)));
}

} // namespace swirl::blas
