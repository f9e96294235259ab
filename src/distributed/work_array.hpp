#pragma once

#include <algorithm>
#include <cstddef>
#include <new>

namespace swirl::distributed {

/// Memory aligned to cache lines.
class WorkArray {
public:
    explicit WorkArray(std::size_t bytes)
        : data_(static_cast<std::byte*>(
              ::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{64}))) {}
    ~WorkArray() { ::operator delete (data_, std::align_val_t{64}); }
    WorkArray(const WorkArray&) = delete;
    WorkArray& operator=(const WorkArray&) = delete;
    std::byte* data() const { return data_; }

private:
    std::byte* data_;
};

} // namespace swirl::distributed
