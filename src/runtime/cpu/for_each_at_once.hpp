#pragma once

#include "base/fork_gate.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace swirl::runtime {

/// Calls f(0) … f(count−1) on as many threads as there are processors, this one included. After all have ended,
/// rethrows the first exception.
template <class F> void for_each_at_once(std::size_t count, F&& f) {
    std::vector<std::exception_ptr> errors(count);
    std::atomic<std::size_t> next{0};
    const auto work = [&, is_in_section = ForkSection::is_inside()] {
        const ForkSection::Joined joined(is_in_section);
        for (std::size_t k = next++; k < count; k = next++) {
            try {
                f(k);
            } catch (...) {
                errors[k] = std::current_exception();
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t threads = std::min(count, static_cast<std::size_t>(processors()));
        others.reserve(threads);
        try {
            while (others.size() + 1 < threads) others.emplace_back(work);
        } catch (const std::system_error&) {} // fewer threads suffice
        work();
    }
    for (const std::exception_ptr& error : errors)
        if (error) std::rethrow_exception(error);
}

} // namespace swirl::runtime
