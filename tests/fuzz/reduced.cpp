#include "fuzz/reduced.hpp"

#include "fuzz/journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace swirl::fuzz {
namespace {

/// The index of the result to which an element contributes.
Integer result_of(const Reduction& reduction, const MatrixProduct& product, Integer matrix, Integer i,
                  Integer j) {
    switch (reduction.over) {
    case Over::columns: return matrix * product.rows + i;
    case Over::rows: return matrix * product.columns + j;
    default: return matrix;
    }
}

Integer results(const Reduction& reduction, const MatrixProduct& product) {
    switch (reduction.over) {
    case Over::columns: return product.batch * product.rows;
    case Over::rows: return product.batch * product.columns;
    default: return product.batch;
    }
}

} // namespace

void draw_reduction(MatrixProduct& product, Random& random) {
    const bool is_real = product.data_type == DataType::float32 || product.data_type == DataType::float64;
    if (!is_real || product.converts() || random.chance(80)) return;
    product.reductions.push_back({.name = "r",
                                  .operation = random.one_of({Reduce::sum, Reduce::maximum, Reduce::minimum}),
                                  .over = random.one_of({Over::columns, Over::rows, Over::all})});
}

Reduced::Reduced(const MatrixProduct& product) : product_(product) {
    if (product.reductions.empty()) return;
    const Integer count = std::max<Integer>(results(product.reductions[0], product), 1);
    array_ = std::make_unique<GuardedMemory>("results r", 0, count * bytes_of(product.data_type));
}

void Reduced::save() {
    if (array_) array_->save();
}

void Reduced::require_unharmed() {
    if (!array_) return;
    array_->allow(0, results(product_.reductions[0], product_) * bytes_of(product_.data_type));
    array_->require_unharmed();
}

void Reduced::require_right(const ProductData& data) const {
    if (!array_) return;
    const Reduction& reduction = product_.reductions[0];
    const auto count = static_cast<std::size_t>(results(reduction, product_));
    constexpr long double infinity = std::numeric_limits<long double>::infinity();
    const long double start = reduction.operation == Reduce::sum       ? 0
                              : reduction.operation == Reduce::maximum ? -infinity
                                                                       : infinity;
    std::vector<long double> expected(count, start), magnitudes(count, 0);
    data.for_each_result([&](Integer matrix, Integer i, Integer j, Complex value) {
        const auto at = static_cast<std::size_t>(result_of(reduction, product_, matrix, i, j));
        const long double x = value.real();
        magnitudes[at] += std::abs(x);
        expected[at] = reduction.operation == Reduce::sum       ? expected[at] + x
                       : reduction.operation == Reduce::maximum ? std::max(expected[at], x)
                                                                : std::min(expected[at], x);
    });
    const long double epsilon = product_.data_type == DataType::float32 ? 0x1p-23L : 0x1p-52L;
    const auto terms = static_cast<long double>(product_.rows * product_.columns * product_.batch);
    const long double unit = reduction.operation == Reduce::sum ? epsilon * (4 + std::sqrt(terms)) : 0;
    for (std::size_t k = 0; k < count; ++k) {
        const std::byte* const place =
            array_->origin() + static_cast<Integer>(k) * bytes_of(product_.data_type);
        const long double found = read_element(place, product_.data_type).real();
        if (found == expected[k] || std::abs(found - expected[k]) <= unit * magnitudes[k]) continue;
        throw Failure("wrong reduction",
                      fmt::format("number {} is {} and not {}", k, static_cast<double>(found),
                                  static_cast<double>(expected[k])));
    }
}

} // namespace swirl::fuzz
