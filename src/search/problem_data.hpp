#pragma once

#include "plan/plan.hpp"
#include "runtime/aligned_buffer.hpp"
#include "runtime/timer.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace swirl::search {

/// Memory for one execution of a problem, laid out as it says, its arrays 64-byte aligned at index 0. In place, input
/// and output are the same memory.
class ProblemData {
public:
    explicit ProblemData(const Problem& problem);

    planning::Arguments arguments() const;
    /// All of the memory, input and output, elements and the gaps between them.
    std::span<const runtime::AlignedBuffer> buffers() const { return buffers_; }

    /// Random numbers, uniform in [−1, 1), everywhere.
    void fill(std::uint32_t seed);
    /// Keeps all bytes as they are now, for `restore`.
    void save();
    void restore();

    /// `run` as work that can be timed: where it writes over its input, which would grow each time, what was saved is
    /// put back before it overflows.
    runtime::TimedWork timed(std::function<void()> run);

private:
    void* allocate(Integer lowest_byte, Integer end_byte);

    Problem problem_;
    std::vector<runtime::AlignedBuffer> buffers_;
    std::vector<std::vector<std::byte>> saved_;
    void* real_[2] = {nullptr, nullptr};      ///< by side, or all of an array of pairs
    void* imaginary_[2] = {nullptr, nullptr}; ///< where planar
};

} // namespace swirl::search
