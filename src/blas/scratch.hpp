#pragma once

#include <swirl/kinds.hpp>

#include <cstddef>

namespace swirl::blas {

/// What routines keep beside the caller's matrices; each has its own memory in every thread.
enum class Scratch : unsigned char {
    block,     ///< a diagonal block, or several, with both its triangles
    triangle,  ///< a diagonal block's triangle as kernels want it
    strip,     ///< some right sides as kernels want them
    workspace, ///< of kernels
};

/// `bytes` of the calling thread's memory on a cache line, for as long as it asks for no other of this kind. The memory
/// stays with the thread: only asking for more than ever before allocates.
void* scratch_bytes(Scratch kind, std::size_t bytes);

template <class T> T* scratch(Scratch kind, Integer count) {
    return static_cast<T*>(scratch_bytes(kind, static_cast<std::size_t>(count) * sizeof(T)));
}

} // namespace swirl::blas
