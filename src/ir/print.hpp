#pragma once

#include "ir/program.hpp"

#include <string>

namespace swirl::ir {

enum class PrintStyle {
    full,    ///< every parameter and type; values carry their number in Program::operations
    compact, ///< for reading: arithmetic in infix, values numbered as they appear, types where they change
};

/// The program as text, one operation a line, bodies indented. The same program gives the same text.
std::string to_string(const Program& program, PrintStyle style = PrintStyle::full);

/// One operation in full style, without indentation: "%7 = add %3, %4 : float64".
std::string to_string(const Program& program, Value value);

/// An affine form with the names of the program's variables: "16*j + 2*k + 1".
std::string to_string(const Program& program, const Affine& form);

} // namespace swirl::ir
