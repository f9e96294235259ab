#pragma once

#include <swirl/matrix_product.hpp>

#include <functional>
#include <span>

namespace swirl::planning {

/// Minimum multiply-adds per thread: below, a thread costs more than it saves.
constexpr double min_parallel_work = 1 << 18;

/// Tasks into which each of `members` members divides its share of so many multiply-adds, so that others can take some of
/// them. One member has nobody to share with.
int tasks_of_member(double work, int members);

/// Multiply-adds of one product.
double work_of(const MatrixProduct& product);
/// Lower bound on the seconds that one thread needs for this many multiply-adds.
constexpr double min_seconds(double work) { return work / 1e11; }

/// A number of equal work items.
struct Items {
    double work; ///< per item, in multiply-adds
    Integer count;
    int threads = 1; ///< maximum per item
};

/// Calls run(kind, item, threads) for all items of all kinds, on at most `threads` threads. An item that is large
/// compared with one thread's share gets several threads if it allows them; the others are distributed, each to one
/// thread.
void distribute_items(std::span<const Items> kinds, int threads,
                      const std::function<void(std::size_t kind, Integer item, int threads)>& run);

} // namespace swirl::planning
