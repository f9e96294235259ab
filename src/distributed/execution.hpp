#pragma once

#include "distributed/program.hpp"

#include <cstddef>

namespace swirl::distributed {

/// One execution of a rank's program: its arrays, and the steps that need no other rank.
class Execution {
public:
    /// `output` may be `input`. `result_bytes`: of the output.
    Execution(const std::byte* input, std::byte* output, std::byte* first, std::byte* second,
              std::size_t result_bytes)
        : input_(input), output_(output), first_(first), second_(second), result_bytes_(result_bytes) {}

    void run(const TransformStep& step) const;
    void run(const CopyStep& step) const;

    const std::byte* source(Array array) const { return array == Array::input ? input_ : target(array); }
    std::byte* target(Array array) const {
        return array == Array::output ? output_ : array == Array::first ? first_ : second_;
    }

private:
    const std::byte* input_;
    std::byte* output_;
    std::byte* first_;
    std::byte* second_;
    std::size_t result_bytes_;
};

} // namespace swirl::distributed
