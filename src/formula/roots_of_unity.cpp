#include "formula/roots_of_unity.hpp"

#include <cmath>

namespace swirl::formula {

namespace {

__extension__ using Wide = __int128;

/// Smaller orders have too few roots for tables to pay.
constexpr Integer smallest_tabulated_order = 1024;

} // namespace

RootsOfUnity::RootsOfUnity(Integer order, Direction direction)
    : step_(static_cast<Integer>(std::ceil(std::sqrt(static_cast<double>(order))))) {
    for (Integer j = 0; j < step_; ++j) fine_.push_back(root_of_unity(order, j, direction));
    for (Integer j = 0; j * step_ < order; ++j) coarse_.push_back(root_of_unity(order, j * step_, direction));
}

Complex RootsOfUnity::operator()(Integer k) const {
    const Complex a = coarse_[static_cast<std::size_t>(k / step_)],
                  b = fine_[static_cast<std::size_t>(k % step_)];
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

Complex DiagonalValues::root(Integer order, Integer k, Direction direction) {
    if (order < smallest_tabulated_order) return root_of_unity(order, k, direction);
    auto at = tables_.find({order, direction});
    if (at == tables_.end())
        at = tables_.emplace(std::pair{order, direction}, RootsOfUnity(order, direction)).first;
    return at->second(k);
}

Complex DiagonalValues::operator()(const DiagonalFunction& function, Integer i) {
    if (const auto* f = std::get_if<TwiddleFunction>(&function)) {
        const Wide exponent = static_cast<Wide>(f->first.of(i)) * f->second.of(i) % f->order;
        return root(f->order, static_cast<Integer>(exponent), f->direction);
    }
    if (const auto* f = std::get_if<ChirpFunction>(&function)) {
        const Wide exponent = static_cast<Wide>(i) * i % (2 * static_cast<Wide>(f->order));
        return root(2 * f->order, static_cast<Integer>(exponent), f->direction);
    }
    return diagonal_value(function, i);
}

} // namespace swirl::formula
