#include "base/overloaded.hpp"
#include "formula/chirp_spectrum.hpp"
#include "formula/formula.hpp"

#include <cmath>
#include <numbers>

namespace swirl::formula {

namespace {

__extension__ using Wide = __int128;

// The angle is 2π·m/4n. Reflections at π, π/2 and π/4 map m to 0…n/2 exactly, so sine and cosine receive an argument of
// at most π/4 with a relative error of a few roundings.
Complex root(Wide order, Wide k, Direction direction) {
    Wide m = k * 4;
    const bool below_axis = m > 2 * order;
    if (below_axis) m = 4 * order - m;
    const bool left = m > order;
    if (left) m = 2 * order - m;
    const bool above_diagonal = 2 * m > order;
    if (above_diagonal) m = order - m;
    const long double angle =
        static_cast<long double>(m) * (std::numbers::pi_v<long double> / 2) / static_cast<long double>(order);
    long double cosine = std::cos(angle), sine = std::sin(angle);
    if (above_diagonal) std::swap(cosine, sine);
    if (left) cosine = -cosine;
    if (below_axis) sine = -sine;
    return {cosine, direction == Direction::forward && sine != 0 ? -sine : sine};
}

} // namespace

Complex root_of_unity(Integer n, Integer k, Direction direction) {
    ensure(n >= 1, "root of unity of order {}", n);
    return root(n, modulo(k, n), direction);
}

Complex diagonal_value(const DiagonalFunction& function, Integer i) {
    return std::visit(Overloaded{
                          [&](const TwiddleFunction& f) {
                              const Wide digits = static_cast<Wide>(f.first.of(i)) * f.second.of(i) % f.order;
                              return root(f.order, digits * f.factor % f.order, f.direction);
                          },
                          [&](const ChirpFunction& f) {
                              const Wide order = 2 * static_cast<Wide>(f.order);
                              return root(order, static_cast<Wide>(i) * i % order * f.factor % order,
                                          f.direction);
                          },
                          [&](const ChirpSpectrumFunction& f) {
                              return ChirpSpectrum(f.order, f.size).of_function(i, f.direction);
                          },
                          [&](const ConstantFunction& f) { return f.value; },
                          [&](const ExplicitFunction& f) { return f.values.at(static_cast<std::size_t>(i)); },
                          [&](const ArgumentFunction&) {
                              const auto x = static_cast<long double>(i % 1024);
                              return std::polar(1 + std::cos(5 * x) / 2, x * x * x);
                          },
                      },
                      function);
}

} // namespace swirl::formula
