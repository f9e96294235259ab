#pragma once

#include "plan/check/problem_data.hpp"
#include "plan/transform/cpu/plan.hpp"

#include <cstddef>
#include <vector>

namespace swirl::support {

/// All bytes of a problem's memory after a plan has run on it: results with the same bits have equal ones.
inline std::vector<std::byte> bytes_after(const planning::Plan& plan) {
    planning::ProblemData data(plan.problem());
    data.fill(1);
    plan.execute(data.arguments());
    std::vector<std::byte> bytes;
    for (const planning::GuardedBuffer& buffer : data.buffers()) {
        const auto* begin = static_cast<const std::byte*>(buffer.data());
        bytes.insert(bytes.end(), begin, begin + buffer.bytes());
    }
    return bytes;
}

} // namespace swirl::support
