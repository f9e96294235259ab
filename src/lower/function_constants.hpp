#pragma once

#include "ir/type.hpp"

#include <span>

namespace swirl::lower {

/// Constants of the function expansions for float32 or float64. `…_rest` is the low-order part of the preceding
/// constant.
struct FunctionConstants {
    /// Adding and subtracting it rounds a value below a quarter of it to the nearest integer, ties to even.
    long double rounder;
    /// Range of the exponential's argument: e^x is 0 below and infinite above, also times constants below 2^8.
    long double least, greatest;
    long double log2_of_e;
    /// ln2 has few enough bits that its product with every integer from log2(e)·least to log2(e)·greatest is exact.
    long double ln2, ln2_rest;
    /// (e^r − 1 − r)/r² for |r| ≤ ln2/2, by ascending powers of r.
    std::span<const long double> exponential;
    /// (tanh(x)/x − 1)/x² for |x| ≤ `tangent_bound`, by ascending powers of x².
    std::span<const long double> tangent;
    /// 2·√(2/π) and that times 0.044715.
    long double gelu_linear, gelu_linear_rest;
    long double gelu_cubic, gelu_cubic_rest;
};

const FunctionConstants& function_constants(DataType scalar);

/// Magnitudes below which tanh is a polynomial.
constexpr long double tangent_bound = 0.55L;
/// Beyond this magnitude gelu is x or 0, in float64 too.
constexpr long double gelu_bound = 22;

} // namespace swirl::lower
