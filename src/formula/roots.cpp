#include "base/overloaded.hpp"
#include "formula/chirp_spectrum.hpp"
#include "formula/formula.hpp"
#include "formula/octant_angle.hpp"

#include <cmath>

namespace swirl::formula {

namespace {

__extension__ using Wide = __int128;

Complex root(Wide order, Wide k, Direction direction) {
    const OctantAngle angle(order, k);
    return angle.reflected(angle.point(order), direction);
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
                          [&](const ArgumentFunction& f) {
                              const bool is_mirrored = f.order > 0 && 2 * i > f.order;
                              const auto x = static_cast<long double>((is_mirrored ? f.order - i : i) % 1024);
                              const Complex value = std::polar(1 + std::cos(5 * x) / 2, x * x * x);
                              if (f.order > 0 && (i == 0 || 2 * i == f.order)) return Complex(value.real());
                              return is_mirrored ? std::conj(value) : value;
                          },
                      },
                      function);
}

} // namespace swirl::formula
