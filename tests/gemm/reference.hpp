#pragma once

#include "gemm/tile.hpp"
#include "ir/interpreter.hpp"

#include <complex>
#include <random>
#include <vector>

/// Matrices of programs in the interpreter, and what they ought to become.
namespace swirl::gemm::test {

using Complex = std::complex<long double>;

/// Random numbers that the program's type holds exactly, in every element of a buffer.
inline void fill(ir::Memory& memory, std::mt19937& random) {
    std::uniform_int_distribution<int> uniform(-99, 99);
    for (Integer i = 0; i < memory.elements(); ++i)
        memory.set(memory.first() + i, static_cast<long double>(uniform(random)) / 64);
}

/// A number in a buffer of scalars, numbers counted from index 0.
inline Complex number_at(const ir::Memory& memory, Number number, Integer index) {
    if (!is_complex(number)) return memory[index];
    return {memory[2 * index], memory[2 * index + 1]};
}

/// What rounding in float32 or float64 allows for sums of so many products of numbers below 2.
inline long double tolerance(Number number, Integer depth) {
    const long double epsilon = scalar_of(number) == ir::Scalar::float32 ? 0x1p-23L : 0x1p-52L;
    return epsilon * 16 * static_cast<long double>(depth + 4);
}

} // namespace swirl::gemm::test
