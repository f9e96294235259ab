#pragma once

#include <swirl/matrix_product.hpp>

#include <functional>
#include <span>

namespace swirl::planning {

/// Below so many multiply-adds a thread costs more than it brings.
constexpr double least_share = 1 << 18;

/// Multiply-adds of one product.
double work_of(const MatrixProduct& product);
/// That one thread needs for so many multiply-adds, at least.
constexpr double least_seconds(double work) { return work / 1e11; }

/// So many things to do that are alike.
struct Items {
    double work; ///< of one, in multiply-adds
    Integer count;
    int threads = 1; ///< as many may work on one
};

/// Calls run(kind, number, threads) for all items of all kinds, by at most so many threads. One that is long beside a thread's
/// share of everything is left to several threads, if it may be; the others are shared out, each to one thread.
void share_items(std::span<const Items> kinds, int threads,
                 const std::function<void(std::size_t kind, Integer item, int threads)>& run);

} // namespace swirl::planning
