#include "formula/unit_circle.hpp"

#include "formula/formula.hpp"

#include <cmath>

namespace swirl::formula {

UnitCircle::UnitCircle() {
    constexpr auto size = static_cast<Integer>(table_size);
    coarse_.reserve(table_size);
    fine_.reserve(table_size);
    for (Integer k = 0; k < size; ++k) {
        const Complex root = root_of_unity(size, k, Direction::backward);
        coarse_.push_back({std::llrint(root.real() * one), std::llrint(root.imag() * one)});
        const long double sine = root_of_unity(size * size, k, Direction::backward).imag(),
                          sine_of_half = root_of_unity(2 * size * size, k, Direction::backward).imag();
        fine_.push_back({std::llrint(std::ldexp(-2 * sine_of_half * sine_of_half, delta_bits)),
                         std::llrint(std::ldexp(sine, delta_bits))});
    }
}

} // namespace swirl::formula
