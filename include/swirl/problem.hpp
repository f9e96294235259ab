/// What a plan computes: a transform, or a matrix multiplication.
#pragma once

#include <swirl/export.h>
#include <swirl/matrix_product.hpp>
#include <swirl/transform.hpp>

#include <string>
#include <string_view>
#include <variant>

namespace swirl {

using Problem = std::variant<Transform, MatrixProduct>;

/// Parses one line of text: "dft 1024 float32 batch=10", "gemm 100x80x60 float32". <swirl/transform.hpp> and
/// <swirl/matrix_product.hpp> have the grammars. Throws SyntaxError. Does not check whether the problem can be
/// computed: `validate` does.
SWIRL_API Problem parse_problem(std::string_view text);

/// Text that parses to an equal problem.
SWIRL_API std::string to_text(const Problem& problem);

/// Throws UserError, naming the argument, its value and what would work, unless the problem can be computed as stated.
SWIRL_API void validate(const Problem& problem);

/// The auxiliary arrays of an execution: those that callbacks, a convolution or an epilogue read, then those that
/// reductions write. The problem must be valid.
SWIRL_API std::vector<AuxiliaryArray> arrays_of(const Problem& problem);

} // namespace swirl
