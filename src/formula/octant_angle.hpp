#pragma once

#include "formula/formula.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace swirl::formula {

/// The angle 2πk/n of a root of unity, 0 ≤ k < n, reflected at π, π/2 and π/4 to 2π·m/4n with 0 ≤ m ≤ n/2. The reflections
/// are exact, so sine and cosine receive an argument of at most π/4 with a relative error of a few roundings.
class OctantAngle {
public:
    __extension__ using Wide = __int128;

    OctantAngle(Wide order, Wide k) : m_(4 * k) {
        below_axis_ = m_ > 2 * order;
        if (below_axis_) m_ = 4 * order - m_;
        left_ = m_ > order;
        if (left_) m_ = 2 * order - m_;
        above_diagonal_ = 2 * m_ > order;
        if (above_diagonal_) m_ = order - m_;
    }

    Wide m() const { return m_; }

    /// The point of the unit circle at 2π·m/4n.
    Complex point(Wide order) const {
        const long double angle = static_cast<long double>(m_) * (std::numbers::pi_v<long double> / 2) /
                                  static_cast<long double>(order);
        return {std::cos(angle), std::sin(angle)};
    }

    /// The root of unity from that point.
    Complex reflected(const Complex& point, Direction direction) const {
        long double cosine = point.real(), sine = point.imag();
        if (above_diagonal_) std::swap(cosine, sine);
        if (left_) cosine = -cosine;
        if (below_axis_) sine = -sine;
        return {cosine, direction == Direction::forward && sine != 0 ? -sine : sine};
    }

private:
    Wide m_;
    bool below_axis_, left_, above_diagonal_;
};

} // namespace swirl::formula
