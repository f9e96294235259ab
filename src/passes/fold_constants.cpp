#include "passes/fold_constants.hpp"

#include "ir/analysis.hpp"
#include "ir/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

class Folding {
public:
    explicit Folding(Program& program)
        : program_(program), uses_(use_counts(program)), same_(program.operations.size()) {
        std::iota(same_.begin(), same_.end(), 0);
    }

    void visit(StraightLineBlock& block) {
        kept_.reserve(block.operations.size());
        for (const Value value : block.operations) {
            for_each_operand(program_[value],
                             [&](Value& operand) { operand = same_[static_cast<std::size_t>(operand)]; });
            const Value equal = simplify(value);
            if (equal != no_value) {
                same_[static_cast<std::size_t>(value)] = equal;
                has_changed_ = true;
            } else {
                kept_.push_back(value);
            }
        }
        block.operations.swap(kept_);
        kept_.clear();
    }

    bool has_changed() const { return has_changed_; }

private:
    using Constant = std::optional<long double>;

    bool is_strict(Value value) const { return program_[value].strict; }
    /// A value of −0, which leaves any other unchanged in a sum, as +0 does not.
    static bool is_negative_zero(const Constant& x) { return x == 0.0L && std::signbit(*x); }
    static bool is_positive_zero(const Constant& x) { return x == 0.0L && !std::signbit(*x); }

    /// Rewrites the operation in place (no_value), or returns a value that replaces it.
    Value simplify(Value value) {
        const Operation& operation = program_[value];
        if (!is_floating(operation.type.scalar)) return no_value;
        switch (operation.opcode) {
        case Opcode::splat:
        case Opcode::convert:
        case Opcode::negate: return simplify_unary(value);
        case Opcode::add: return simplify_add(value);
        case Opcode::subtract: return simplify_subtract(value);
        case Opcode::multiply: return simplify_multiply(value);
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma: return simplify_fused(value);
        case Opcode::shuffle: return simplify_shuffle(value);
        default: return no_value;
        }
    }

    Value simplify_unary(Value value) {
        const Operation& operation = program_[value];
        const Value a = operation.operands[0];
        const Constant x = constant_of(a);
        if (x && is_floating(program_[a].type.scalar))
            return become_constant(value, operation.opcode == Opcode::negate ? -*x : *x);
        if (operation.opcode == Opcode::negate && program_[a].opcode == Opcode::negate)
            return program_[a].operands[0];
        if (operation.opcode == Opcode::convert && program_[a].type == operation.type) return a;
        return no_value;
    }

    Value simplify_add(Value value) {
        const auto [a, b, c] = program_[value].operands;
        const Constant x = constant_of(a);
        const Constant y = constant_of(b);
        if (x && y) return become_constant(value, *x + *y);
        if (is_strict(value)) return is_negative_zero(x) ? b : is_negative_zero(y) ? a : no_value;
        if (x == 0.0L) return b;
        if (y == 0.0L) return a;
        return no_value;
    }

    Value simplify_subtract(Value value) {
        const auto [a, b, c] = program_[value].operands;
        const Constant x = constant_of(a);
        const Constant y = constant_of(b);
        if (x && y) return become_constant(value, *x - *y);
        if (is_strict(value)) return is_positive_zero(y) ? a : no_value;
        if (a == b) return become_constant(value, 0);
        if (y == 0.0L) return a;
        if (x == 0.0L) return become(value, Opcode::negate, b);
        return no_value;
    }

    Value simplify_multiply(Value value) {
        auto [a, b, c] = program_[value].operands;
        if (constant_of(b)) std::swap(a, b);
        const Constant x = constant_of(a);
        if (!x) return no_value;
        if (const Constant y = constant_of(b)) return become_constant(value, *x * *y);
        if (*x == 0) return is_strict(value) ? no_value : become_constant(value, 0);
        if (*x == 1) return b;
        if (*x == -1) return become(value, Opcode::negate, b);
        if (program_[b].opcode != Opcode::multiply || uses_[static_cast<std::size_t>(b)] != 1)
            return no_value;
        if (is_strict(value) || is_strict(b)) return no_value;
        const Type type = program_[b].type; // new_constant may move the table of operations
        const std::array<Value, 3> inner = program_[b].operands;
        for (const int i : {0, 1})
            if (const Constant y = constant_of(inner[static_cast<std::size_t>(i)]);
                y && is_in_range(*x * *y, type.scalar))
                return become(value, Opcode::multiply, new_constant(type, *x * *y),
                              inner[static_cast<std::size_t>(1 - i)]);
        return no_value;
    }

    /// Whether the constant fits without overflow or loss of digits.
    static bool is_in_range(long double exact, DataType scalar) {
        const long double magnitude = std::fabs(exact);
        return magnitude >= least_normal_of(scalar) && magnitude <= largest_of(scalar);
    }

    Value simplify_fused(Value value) {
        const Opcode opcode = program_[value].opcode;
        const Type type = program_[value].type;
        auto [a, b, c] = program_[value].operands;
        if (constant_of(b)) std::swap(a, b);
        const Constant x = constant_of(a);
        const Constant y = constant_of(b);
        const Constant z = constant_of(c);
        if (is_strict(value) && !(x && y && z) && (x == 0.0L || y == 0.0L || z == 0.0L)) return no_value;
        if (x && y) {
            const long double product = opcode == Opcode::fnma ? -(*x * *y) : *x * *y;
            if (z) return become_constant(value, opcode == Opcode::fms ? product - *z : product + *z);
            if (product != 0 && !is_strict(value))
                return become(value, opcode == Opcode::fms ? Opcode::subtract : Opcode::add,
                              new_constant(type, product), c);
        }
        if (x == 0.0L || y == 0.0L) return opcode == Opcode::fms ? become(value, Opcode::negate, c) : c;
        if (z == 0.0L && opcode != Opcode::fnma) return become(value, Opcode::multiply, a, b);
        if (x != 1.0L && x != -1.0L) return no_value;
        const bool negative = (*x < 0) != (opcode == Opcode::fnma);
        if (opcode == Opcode::fms) return negative ? no_value : become(value, Opcode::subtract, b, c);
        return negative ? become(value, Opcode::subtract, c, b) : become(value, Opcode::add, b, c);
    }

    Value simplify_shuffle(Value value) {
        const Operation& operation = program_[value];
        const int lanes = program_[operation.operands[0]].type.lanes;
        bool from_a = false, from_b = false, identity = true;
        for (std::size_t l = 0; l < operation.lane_map.size(); ++l) {
            const int lane = operation.lane_map[l];
            from_a = from_a || (lane >= 0 && lane < lanes);
            from_b = from_b || lane >= lanes;
            identity = identity && (lane < 0 || lane == static_cast<int>(l));
        }
        if (identity && operation.type == program_[operation.operands[0]].type) return operation.operands[0];
        const Constant x = constant_of(operation.operands[0]);
        const Constant y = constant_of(operation.operands[1]);
        if (x && (!from_b || x == y)) return become_constant(value, *x);
        if (y && !from_a) return become_constant(value, *y);
        return no_value;
    }

    Constant constant_of(Value value) const {
        if (value == no_value || program_[value].opcode != Opcode::constant) return std::nullopt;
        return program_[value].constant;
    }

    Value become(Value value, Opcode opcode, Value a, Value b = no_value) {
        Operation& operation = program_[value];
        operation.opcode = opcode;
        operation.operands = {a, b, no_value};
        has_changed_ = true;
        return no_value;
    }

    /// A strict operation becomes the constant that it rounds to, if that is finite.
    Value become_constant(Value value, long double exact) {
        Operation& operation = program_[value];
        if (operation.strict) {
            exact = round_to(operation.type.scalar, exact);
            if (!std::isfinite(exact)) return no_value;
        }
        Operation constant;
        constant.opcode = Opcode::constant;
        constant.type = operation.type;
        constant.constant = exact;
        operation = std::move(constant);
        has_changed_ = true;
        return no_value;
    }

    Value new_constant(Type type, long double exact) {
        Operation constant;
        constant.opcode = Opcode::constant;
        constant.type = type;
        constant.constant = exact;
        const Value value = program_.append(std::move(constant));
        kept_.push_back(value);
        uses_.push_back(1);
        same_.push_back(value);
        return value;
    }

    Program& program_;
    std::vector<int> uses_;   ///< before the pass
    std::vector<Value> same_; ///< by value: its replacement
    std::vector<Value> kept_; ///< of the block being visited
    bool has_changed_ = false;
};

} // namespace

bool fold_constants_in(Program& program) {
    Folding folding(program);
    for_each_straight_line_block(program, [&](StraightLineBlock& block) { folding.visit(block); });
    return folding.has_changed();
}

} // namespace swirl::passes
