#pragma once

#include "ir/type.hpp"

#include <span>

namespace swirl::lower {

/// What the expansions of functions are made of, for float32 or float64. A number `…_rest` is what the one before it lacks.
struct FunctionNumbers {
    /// Added to a number below a quarter of it and taken away again, it leaves the nearest whole number, ties to even.
    long double rounder;
    /// Where the exponential is taken: below it is 0, above infinite, for products with numbers below 2^8 too.
    long double least, greatest;
    long double log2_of_e;
    /// With so few bits that products with whole numbers between the bounds, times log2 of e, are exact.
    long double ln2, ln2_rest;
    /// (e^r − 1 − r)/r² for |r| ≤ ln2/2, by ascending powers of r.
    std::span<const long double> exponential;
    /// (tanh(x)/x − 1)/x² for |x| ≤ `tangent_bound`, by ascending powers of x².
    std::span<const long double> tangent;
    /// 2·√(2/π) and that times 0.044715.
    long double gelu_linear, gelu_linear_rest;
    long double gelu_cubic, gelu_cubic_rest;
};

const FunctionNumbers& function_numbers(ir::Scalar scalar);

/// Magnitudes below which tanh is a polynomial.
constexpr long double tangent_bound = 0.55L;
/// Beyond this magnitude gelu is x or 0, in float64 too.
constexpr long double gelu_bound = 22;

} // namespace swirl::lower
