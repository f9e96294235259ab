#pragma once

#include "ir/program.hpp"

#include <string>

namespace swirl::ir {

enum class PrintStyle {
    full,    ///< every parameter and type; values carry their index in Program::operations
    compact, ///< for reading: infix arithmetic, values numbered in order of appearance, types where they change
};

/// The program as text, one operation per line, with indented bodies. Equal programs give equal text.
std::string to_string(const Program& program, PrintStyle style = PrintStyle::full);

/// One operation in full style, without indentation: "%7 = add %3, %4 : float64".
std::string to_string(const Program& program, Value value);

/// An affine form with the names of the program's variables: "16*j + 2*k + 1".
std::string to_string(const Program& program, const Affine& form);

} // namespace swirl::ir
