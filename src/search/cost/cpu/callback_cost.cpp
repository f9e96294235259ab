#include "search/cost/cpu/callback_cost.hpp"

namespace swirl::search {

namespace {

using loops::Pointwise;
using Op = Pointwise::Op;

/// Two operations or loads start in each cycle.
constexpr double cycles_per_operation = 0.5;
/// What divisions and square roots, and functions (lower/functions.hpp), cost in operations.
constexpr double division = 8, function = 25;

/// Operations and loads per element, of which each real component is a lane.
double operations_of(const Pointwise& pointwise, const std::vector<lower::AuxiliaryArray>& arrays,
                     bool complex) {
    double operations = 0;
    std::vector<bool> is_complex;
    for (const Pointwise::Node& node : pointwise.nodes) {
        const auto operand = [&](std::size_t k) {
            return is_complex[static_cast<std::size_t>(node.operands[k])];
        };
        bool any = false;
        for (std::size_t k = 0; k < node.operands.size(); ++k) any = any || operand(k);
        const double components = any ? 2 : 1;
        switch (node.op) {
        case Op::constant:
        case Op::x:
        case Op::re:
        case Op::im:
        case Op::complex: break;
        case Op::array: operations += arrays[static_cast<std::size_t>(node.array)].is_complex ? 2 : 1; break;
        case Op::multiply: operations += operand(0) && operand(1) ? 4 : components; break;
        case Op::divide: operations += division * components; break;
        case Op::square_root: operations += division; break;
        case Op::exponential:
        case Op::tangent:
        case Op::sigmoid:
        case Op::gelu: operations += function; break;
        case Op::form:
        case Op::add:
        case Op::subtract:
        case Op::magnitude:
        case Op::negate:
        case Op::conj:
        case Op::less:
        case Op::less_equal:
        case Op::equal:
        case Op::form_negative:
        case Op::form_nonnegative:
        case Op::form_zero:
        case Op::both:
        case Op::either:
        case Op::opposite:
        case Op::choose: operations += components; break;
        }
        const bool stays_real = node.op == Op::re || node.op == Op::im;
        is_complex.push_back(
            (node.op == Op::x && complex) || node.op == Op::complex || (any && !stays_real) ||
            (node.op == Op::array && arrays[static_cast<std::size_t>(node.array)].is_complex));
    }
    return operations + static_cast<double>(pointwise.needed.size() + pointwise.where.size());
}

} // namespace

double callback_cycles(const planning::DimensionPass& pass, double lanes) {
    const auto cycles = [&](const std::optional<Pointwise>& pointwise, Integer elements) {
        if (!pointwise) return 0.0;
        return cycles_per_operation * operations_of(*pointwise, pass.arrays, pass.complex) *
               static_cast<double>(elements) / lanes;
    };
    return cycles(pass.load, pass.nonterminal.columns()) + cycles(pass.store, pass.nonterminal.rows());
}

} // namespace swirl::search
