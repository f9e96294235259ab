#pragma once

#include "base/error.hpp"
#include "problem/problem.hpp"

#include <string>
#include <string_view>

namespace swirl {

// One line of text for a problem, for people, tests, benchmarks and wisdom:
//
//   kind lengths option…
//
//   kind      dft  rdft  wht  dct2 dct3 dct4  dst2 dst3 dst4
//   lengths   1024   16x8   2^20
//   options   in any order, each at most once; the first of each line is the default
//     forward  backward
//     float64  float32  float16  bfloat16
//     interleaved  planar
//     outofplace  inplace
//     in=(8,1)  out=(1,16)  strides=(8,1)     for one side or both, one for each dimension; in=2 for a single one
//     batch=10  batch=10:128  batch=10:(128,65)  batch=4:1000x5
//                                             counts, outermost first, each with its stride or (input,output) ones
//     scale=0.5  scale=1/1024
//
// Strides count elements of their side; see Dimension for their unit and Problem for their defaults. In place, a
// stride given for one side fixes the other.

/// Where a text stops being a problem, and what was expected there; what() shows both, with a caret.
class SyntaxError : public UserError {
public:
    SyntaxError(const std::string& expected, std::string_view text, std::size_t position);
    std::size_t position() const { return position_; } ///< in bytes from the start of the text

private:
    std::size_t position_;
};

/// Reads a problem; throws SyntaxError. Says nothing about whether it can be computed: that is `validate`.
Problem parse_problem(std::string_view text);

/// The shortest text that `parse_problem` reads as an equal problem, defaults left out, options in the order above.
std::string to_text(const Problem& problem);

const char* name_of(TransformKind kind);
const char* name_of(Direction direction);
const char* name_of(Precision precision);
const char* name_of(ComplexLayout layout);
const char* name_of(Placement placement);

} // namespace swirl
