#pragma once

#include "fuzz/guarded_memory.hpp"

#include <swirl/swirl.hpp>

namespace swirl::fuzz {

/// A guarded array and its guard zones in the memory of a GPU, aligned as on the host up to 256 bytes.
class OnGpu {
public:
    /// Holds what the array holds now.
    explicit OnGpu(GuardedMemory& host);

    /// The element of index 0.
    template <class T> T* as() const {
        return reinterpret_cast<T*>(first_ + (host_.origin() - host_.data()));
    }
    /// All bytes back into the array, after what runs on the GPU.
    void fetch();

private:
    GuardedMemory& host_;
    gpu::Memory memory_;
    std::byte* first_; ///< of the guard zone before the array
};

/// A workspace on a GPU between guard zones.
class WorkspaceOnGpu {
public:
    explicit WorkspaceOnGpu(std::size_t bytes);

    /// None, where it is not to be brought or there is nothing to bring.
    Workspace given(bool bring) const;
    /// All bytes back, after what runs on the GPU; require_unharmed() then throws a Failure where its guard zones have changed.
    void fetch() { on_gpu_.fetch(); }
    void require_unharmed();
    GuardedMemory& host() { return host_; }

private:
    GuardedMemory host_;
    OnGpu on_gpu_;
};

} // namespace swirl::fuzz
