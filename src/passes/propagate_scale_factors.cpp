#include "passes/propagate_scale_factors.hpp"

#include "ir/analysis.hpp"

#include <cmath>
#include <numeric>

namespace swirl::passes {
namespace {

using namespace ir;

/// Treats ratios this close to 1 as 1: quotients of equal constants that were computed differently.
bool is_one(long double ratio) { return std::fabs(ratio - 1) < 0x1p-60L; }
/// The same of a quotient; most are of equal values, which need no division.
bool is_one(long double a, long double b) { return a == b || is_one(a / b); }

class Carrying {
public:
    explicit Carrying(Program& program)
        : program_(program),
          bases_(program.operations.size()),
          scales_(program.operations.size(), 1),
          multiplied_(program.operations.size(), no_value),
          escapes_(program.operations.size(), false) {
        std::iota(bases_.begin(), bases_.end(), 0);
        find_escapes();
    }

    void visit(StraightLineBlock& block) {
        std::vector<Value> kept;
        kept.reserve(block.operations.size() + 16);
        run_ = &kept;
        for (const Value value : block.operations) {
            const bool is_free = is_floating(program_[value].type.scalar) && !program_[value].strict;
            if (is_free && !escapes_[at(value)] && propagate(value)) continue;
            for (std::size_t i = 0; i < operand_count(program_[value]); ++i) {
                const Value operand = multiplied_out(program_[value].operands[i]); // may move the table
                program_[value].operands[i] = operand;
            }
            kept.push_back(value);
        }
        run_ = nullptr;
        block.operations = std::move(kept);
    }

private:
    static std::size_t at(Value value) { return static_cast<std::size_t>(value); }
    long double scale(Value value) const { return scales_[at(value)]; }
    Value base(Value value) const { return bases_[at(value)]; }

    /// Values that other straight-line blocks use are multiplied out where they are defined.
    void find_escapes() {
        std::vector<int> block_of(program_.operations.size(), -1);
        int index = 0;
        for_each_straight_line_block(program_, [&](const StraightLineBlock& block) {
            for (const Value value : block.operations) {
                block_of[at(value)] = index;
                for_each_operand(program_[value], [&](Value operand) {
                    if (block_of[at(operand)] != index) escapes_[at(operand)] = true;
                });
            }
            ++index;
        });
    }

    /// False if the operation must stay as it is, on multiplied-out operands.
    bool propagate(Value value) {
        const auto [a, b, c] = program_[value].operands;
        switch (program_[value].opcode) {
        case Opcode::multiply: return propagate_product(value);
        case Opcode::add:
        case Opcode::subtract: return propagate_sum(value);
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma:
            if (!is_one(scale(a) * scale(b), scale(c))) return false;
            return keep(value, {base(a), base(b), base(c)}, scale(c));
        case Opcode::negate:
        case Opcode::splat: return keep(value, {base(a), no_value, no_value}, scale(a));
        case Opcode::shuffle:
            if (!is_one(scale(a), scale(b))) return false;
            return keep(value, {base(a), base(b), no_value}, scale(a));
        default: return false;
        }
    }

    bool keep(Value value, const std::array<Value, 3>& operands, long double scale) {
        program_[value].operands = operands;
        scales_[at(value)] = scale;
        run_->push_back(value);
        return true;
    }

    bool propagate_product(Value value) {
        const auto [a, b, c] = program_[value].operands;
        const long double product = scale(a) * scale(b);
        for (const auto& [constant, other] : {std::pair(a, b), std::pair(b, a)}) {
            if (program_[constant].opcode != Opcode::constant) continue;
            const long double factor = program_[constant].constant * product;
            if (!is_moderate(factor)) return false;
            bases_[at(value)] = base(other);
            scales_[at(value)] = factor;
            return true;
        }
        return is_moderate(product) && keep(value, {base(a), base(b), no_value}, product);
    }

    bool propagate_sum(Value value) {
        const bool subtracts = program_[value].opcode == Opcode::subtract;
        const Type type = program_[value].type;
        const auto [a, b, c] = program_[value].operands;
        const long double ratio = scale(a) / scale(b);
        if (is_one(ratio)) return keep(value, {base(a), base(b), no_value}, scale(a));
        // Keeps an unscaled operand unscaled; of two scaled ones, propagates the larger scale.
        const bool scale_b = is_one(scale(a)) || (!is_one(scale(b)) && std::fabs(ratio) >= 1);
        if (scale_b) {
            program_[value].opcode = subtracts ? Opcode::fnma : Opcode::fma;
            return keep(value, {base(b), constant(type, scale(b) / scale(a)), base(a)}, scale(a));
        }
        program_[value].opcode = subtracts ? Opcode::fms : Opcode::fma;
        return keep(value, {base(a), constant(type, ratio), base(b)}, scale(b));
    }

    static bool is_moderate(long double factor) {
        return std::fabs(factor) > 0x1p-60L && std::fabs(factor) < 0x1p60L;
    }

    Value multiplied_out(Value value) {
        if (is_one(scale(value))) return base(value);
        if (multiplied_[at(value)] != no_value) return multiplied_[at(value)];
        Operation product;
        product.opcode = Opcode::multiply;
        product.type = program_[base(value)].type;
        product.operands = {base(value), constant(product.type, scale(value)), no_value};
        const Value result = append(std::move(product));
        return multiplied_[at(value)] = result;
    }

    Value constant(Type type, long double value) {
        Operation constant;
        constant.opcode = Opcode::constant;
        constant.type = type;
        constant.constant = value;
        return append(std::move(constant));
    }

    Value append(Operation&& operation) {
        const Value value = program_.append(std::move(operation));
        bases_.push_back(value);
        scales_.push_back(1);
        multiplied_.push_back(no_value);
        escapes_.push_back(false);
        run_->push_back(value);
        return value;
    }

    Program& program_;
    std::vector<Value> bases_;
    std::vector<long double> scales_;
    std::vector<Value> multiplied_; ///< scale · base, if it has been needed
    std::vector<char> escapes_;
    std::vector<Value>* run_ = nullptr;
};

/// Other programs have no scales.
bool multiplies_by_constants(const Program& program) {
    bool found = false;
    for_each_operation(program, [&](Value value) {
        if (found || program[value].opcode != Opcode::multiply) return;
        for (const Value operand : operands(program[value]))
            found = found || program[operand].opcode == Opcode::constant;
    });
    return found;
}

} // namespace

bool propagate_scale_factors_in(Program& program) {
    if (!multiplies_by_constants(program)) return false;
    Carrying carrying(program);
    for_each_straight_line_block(program, [&](StraightLineBlock& block) { carrying.visit(block); });
    return true;
}

} // namespace swirl::passes
