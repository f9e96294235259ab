#pragma once

#include "distributed/program.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace swirl::distributed {

/// The arrays of a rank in one execution. `output` may be `input`.
struct RankArrays {
    const std::byte* input = nullptr;
    std::byte* output = nullptr;
    std::byte* first = nullptr;
    std::byte* second = nullptr;
    std::byte* local = nullptr;
    std::byte* chunk = nullptr;
    std::byte* sent = nullptr;
    std::byte* received = nullptr;
    std::size_t result_bytes = 0; ///< of the output

    const std::byte* source(Array array) const { return array == Array::input ? input : target(array); }
    std::byte* target(Array array) const {
        return array == Array::output  ? output
               : array == Array::first ? first
               : array == Array::local ? local
                                       : second;
    }
};

/// The steps of a rank that wait for no other rank.
class Execution {
public:
    explicit Execution(const RankArrays& arrays) : arrays_(arrays) {}

    void run(const TransformStep& step) const;
    void run(const CopyStep& step) const;
    /// `of(rank)`: the array `step.to` of a rank. `before_chunk` may throw.
    void run(const DeliverStep& step, const std::function<std::byte*(int rank)>& of,
             const std::function<void()>& before_chunk) const;
    /// Transforms a part of a chunk and packs its messages.
    void run(const StreamStep& step, const StreamStep::Part& part) const;
    void unpack(const StreamStep& step, const StreamStep::Chunk& chunk) const;

private:
    const RankArrays& arrays_;
};

} // namespace swirl::distributed
