#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace swirl::bench {

/// Calls f(k) for all k < count, on all processors; f does not throw.
template <class F> void in_parallel(std::size_t count, F&& f) {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t k = next++; k < count; k = next++) f(k);
    };
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < std::min<std::size_t>(count, std::thread::hardware_concurrency()); ++k)
        helpers.emplace_back(work);
    work();
}

} // namespace swirl::bench
