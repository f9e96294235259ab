#include "lower/straight_line.hpp"

#include "base/error.hpp"
#include "lower/straight_line_program.hpp"

#include <algorithm>

namespace swirl::lower {

std::vector<Scaled> straight_line(const formula::Formula& formula, const std::vector<Scaled>& x,
                                  Arithmetic& arithmetic) {
    using Kind = StraightLineProgram::Step::Kind;
    const auto program = straight_line_program(formula);
    ensure(x.size() == program->inputs, "straight_line: {} inputs for a formula of {} columns", x.size(),
           program->inputs);
    std::vector<Scaled> values(1 + x.size() + program->steps.size());
    std::copy(x.begin(), x.end(), values.begin() + 1);
    auto next = values.begin() + 1 + static_cast<std::ptrdiff_t>(x.size());
    for (const auto& [kind, a, b] : program->steps) {
        const Scaled& operand = values[a];
        switch (kind) {
        case Kind::multiply: *next++ = arithmetic.multiply(operand, program->constants[b]); break;
        case Kind::add: *next++ = arithmetic.add(operand, values[b]); break;
        case Kind::pair: {
            const Scaled re = arithmetic.settle(operand), im = arithmetic.settle(values[b]);
            *next++ = {re.re, im.re};
            break;
        }
        case Kind::real: *next++ = {operand.re, {}, operand.scale}; break;
        case Kind::imaginary: *next++ = {operand.im, {}, operand.scale}; break;
        }
    }
    std::vector<Scaled> y;
    y.reserve(program->results.size());
    for (const auto result : program->results) y.push_back(values[result]);
    return y;
}

} // namespace swirl::lower
