#include "search/cost/probe/pages.hpp"

#include "runtime/cpu/aligned_buffer.hpp"
#include "runtime/timer.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>

namespace swirl::search {

namespace {

constexpr Integer page_bytes = 4096, line = 64, lines_in_page = page_bytes / line;

/// A pointer chase: a cyclic list in memory, in an order that defeats the prefetcher.
class Ring {
public:
    Ring(Integer count, std::byte* memory, bool is_dense) {
        std::vector<Integer> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
        // A different cache line of each page, so that they spread over the cache sets as adjacent lines do.
        const auto address = [&](std::size_t at) {
            const Integer which = order[at % order.size()];
            const Integer offset =
                is_dense ? which * line : which * page_bytes + which % lines_in_page * line;
            return reinterpret_cast<void**>(memory + offset);
        };
        for (std::size_t at = 0; at < order.size(); ++at) *address(at) = static_cast<void*>(address(at + 1));
        at_ = *address(0);
    }

    /// Seconds per load.
    double measure(double budget) {
        constexpr Integer hops = 1 << 14;
        const runtime::TimedWork work{.run = [this] { walk(hops); }, .restore = {}};
        const runtime::TimingOptions timing{.warm_up = budget / 5,
                                            .shortest_sample = budget / 20,
                                            .min_samples = 3,
                                            .max_samples = 40,
                                            .precision = 0.01,
                                            .budget = budget};
        return runtime::measure(work, timing).minimum / static_cast<double>(hops);
    }

private:
    void walk(Integer hops) {
        void* at = at_;
        for (Integer k = 0; k < hops; ++k) at = *static_cast<void**>(at);
        at_ = at; // the next chase continues here; also keeps the loads live
    }

    void* at_;
};

} // namespace

std::vector<PageCost> measure_page_costs(double budget, Integer max_pages,
                                         const std::function<void(double)>& done) {
    const auto bytes = static_cast<std::size_t>(max_pages * page_bytes);
    const runtime::AlignedBuffer small(bytes, {.alignment = static_cast<std::size_t>(page_bytes)});
    const runtime::AlignedBuffer large(bytes, {.huge_pages = true});
    std::vector<Integer> counts;
    for (Integer pages = 16; pages <= max_pages; pages *= 2) {
        counts.push_back(pages);
        if (pages >= 32 && 3 * pages / 2 <= max_pages) counts.push_back(3 * pages / 2);
    }
    const double each = budget / static_cast<double>(3 * counts.size());
    std::vector<PageCost> costs;
    for (const Integer pages : counts) {
        costs.push_back({.pages = pages,
                         .dense = Ring(pages, small.as<std::byte>(), true).measure(each),
                         .small = Ring(pages, small.as<std::byte>(), false).measure(each),
                         .large = Ring(pages, large.as<std::byte>(), false).measure(each)});
        done(1 / static_cast<double>(counts.size()));
    }
    return costs;
}

Integer pages_at_hand(const std::vector<PageCost>& costs) {
    constexpr double clearly_slower = 1.5;
    Integer pages = 0;
    for (const PageCost& cost : costs) {
        if (cost.small > clearly_slower * cost.dense) break;
        pages = cost.pages;
    }
    return pages;
}

} // namespace swirl::search
