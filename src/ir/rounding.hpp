#pragma once

#include "ir/type.hpp"

#include <cstdint>

/// Rounding to the scalars of the ir: to nearest, ties to even, with subnormals and infinities.
namespace swirl::ir {

double round_to_float16(double x);
double round_to_bfloat16(double x);
double round_to_float8_e4m3(double x);
/// A float32 with 10 bits of fraction, as tensor cores multiply them; in memory it is a float32 like others.
double round_to_tf32(double x);

/// The largest finite value of a floating scalar type that arithmetic is done in, and the least with all its digits.
long double largest_of(Scalar scalar);
long double least_normal_of(Scalar scalar);

/// The value of a floating scalar type nearest to x, as a double (which holds all of them exactly).
double round_to(Scalar scalar, double x);
double round_to(Scalar scalar, long double x);
double round_to(Scalar scalar, std::int64_t x);

/// Zero with its sign in place of a subnormal number, as instructions that know none take it.
float without_subnormal(float x);

/// a·b + c with one rounding to the scalar type.
double fma_rounded_to(Scalar scalar, double a, double b, double c);

} // namespace swirl::ir
