#include "formula/roots_of_unity.hpp"

#include "formula/octant_angle.hpp"

#include <cmath>

namespace swirl::formula {

namespace {

/// Smaller orders have too few roots for tables to pay.
constexpr Integer smallest_tabulated_order = 1024;
/// Of larger ones, the tables cost more than those of the unit circle, which serve all orders.
constexpr Integer largest_tabulated_order = Integer{1} << 26;

__extension__ using Wide = __int128;

/// a·b mod n for factors that are not negative, a below 2^64. Divisions of 128 bits are slow.
Wide product_modulo(Wide a, Integer b, Wide n) {
    const Wide product = a * b;
    const bool is_narrow = product >> 63 == 0 && n >> 63 == 0;
    return is_narrow ? static_cast<Integer>(product) % static_cast<Integer>(n) : product % n;
}

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

Complex ReflectedRoots::operator()(Integer k, Direction direction) {
    const OctantAngle angle(order_, k);
    Complex& point = octant_[static_cast<std::size_t>(angle.m())];
    if (point == Complex(0)) point = angle.point(order_);
    return angle.reflected(point, direction);
}

Complex DiagonalValues::root(Wide order, Wide k, Direction direction) {
    if (order > largest_tabulated_order) {
        auto at = rates_.find(order);
        if (at == rates_.end())
            at = rates_.emplace(order, Turns::fraction(1, static_cast<Turns::Digits>(order))).first;
        if (!circle_) circle_.emplace();
        const UnitCircle::Point point = (*circle_)(at->second * static_cast<Turns::Digits>(k));
        constexpr long double unit = 1.0L / UnitCircle::one;
        const long double sine = unit * static_cast<long double>(point.im);
        return {unit * static_cast<long double>(point.re), direction == Direction::forward ? -sine : sine};
    }
    const auto n = static_cast<Integer>(order);
    if (n < smallest_tabulated_order) {
        if (latest_small_.first != n) latest_small_ = {n, &small_.try_emplace(n, n).first->second};
        return (*latest_small_.second)(static_cast<Integer>(k), direction);
    }
    const Order wanted{n, direction};
    if (latest_.first != wanted) latest_ = {wanted, &tables_.try_emplace(wanted, n, direction).first->second};
    return (*latest_.second)(static_cast<Integer>(k));
}

Complex DiagonalValues::operator()(const DiagonalFunction& function, Integer i) {
    if (const auto* f = std::get_if<TwiddleFunction>(&function)) {
        const Wide digits = product_modulo(f->first.of(i), f->second.of(i), f->order);
        return root(f->order, product_modulo(digits, f->factor, f->order), f->direction);
    }
    if (const auto* f = std::get_if<ChirpFunction>(&function)) {
        const Wide order = 2 * static_cast<Wide>(f->order);
        return root(order, product_modulo(product_modulo(i, i, order), f->factor, order), f->direction);
    }
    if (const auto* f = std::get_if<ChirpSpectrumFunction>(&function))
        return spectra_.try_emplace({f->order, f->size}, f->order, f->size)
            .first->second.of_function(i, f->direction);
    return diagonal_value(function, i);
}

Complex diagonal_value(const DiagonalFunction& function, Integer i, DiagonalValues& spectra) {
    return std::holds_alternative<ChirpSpectrumFunction>(function) ? spectra(function, i)
                                                                   : diagonal_value(function, i);
}

} // namespace swirl::formula
