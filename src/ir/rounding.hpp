#pragma once

#include "ir/type.hpp"

#include <cstdint>

/// Rounding to the scalar types of the IR: to nearest, ties to even, with subnormals and infinities.
namespace swirl::ir {

double round_to_float16(double x);
double round_to_bfloat16(double x);
double round_to_float8_e4m3(double x);
/// Rounds to TF32, a float32 with 10 fraction bits, as tensor cores multiply it; it is stored as float32.
double round_to_tf32(double x);

/// The largest finite and the smallest normal value of a floating-point scalar type used for arithmetic.
long double largest_of(DataType scalar);
long double least_normal_of(DataType scalar);

/// The value of a floating-point scalar type nearest to x, as a double (which represents all of them exactly).
double round_to(DataType scalar, double x);
double round_to(DataType scalar, long double x);
double round_to(DataType scalar, std::int64_t x);

/// Flushes a subnormal to a zero of its sign, as instructions without subnormal support do.
float without_subnormal(float x);

/// a·b + c with one rounding to the scalar type.
double fma_rounded_to(DataType scalar, double a, double b, double c);

} // namespace swirl::ir
