#include "passes/propagate_signs.hpp"

#include "base/hash.hpp"
#include "ir/analysis.hpp"
#include "passes/value_table.hpp"

#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

/// Operand `operand` of `user` stands for its negative.
struct NegatedUse {
    Value user;
    std::size_t operand;
};

/// First walk: every value is a base value or its negative. Rewrites operations to read only bases; records the uses
/// whose operation cannot absorb a sign.
class Forward {
public:
    explicit Forward(Program& program)
        : program_(program),
          bases_(program.operations.size()),
          negative_(program.operations.size(), false),
          differences_(program.operations.size() / 4) {
        std::iota(bases_.begin(), bases_.end(), 0);
    }

    std::vector<NegatedUse> run() {
        for_each_straight_line_block(program_, [&](StraightLineBlock& block) {
            differences_.shrink(0);
            std::size_t kept = 0;
            for (const Value value : block.operations) {
                const bool is_redundant = absorb(value);
                if (!is_redundant) block.operations[kept++] = value;
                has_changed_ = has_changed_ || is_redundant || negative_[static_cast<std::size_t>(value)];
            }
            block.operations.resize(kept);
        });
        return std::move(uses_);
    }

    /// Unless there was a negative value, every operation is what it was.
    bool has_changed() const { return has_changed_; }

private:
    /// True if the operation is redundant: another value, or its negative, replaces it.
    bool absorb(Value value) {
        Operation& operation = program_[value];
        std::array<bool, 3> minus = {};
        for (std::size_t i = 0; i < operand_count(operation); ++i) {
            minus[i] = negative_[static_cast<std::size_t>(operation.operands[i])];
            operation.operands[i] = bases_[static_cast<std::size_t>(operation.operands[i])];
        }
        char& sign = negative_[static_cast<std::size_t>(value)];
        if (!is_floating(operation.type.scalar)) return leave(value, minus);
        switch (operation.opcode) {
        case Opcode::constant:
            sign = operation.constant < 0;
            has_changed_ = has_changed_ || std::signbit(operation.constant);
            operation.constant = std::fabs(operation.constant);
            return false;
        case Opcode::negate:
            bases_[static_cast<std::size_t>(value)] = operation.operands[0];
            sign = !minus[0];
            return true;
        case Opcode::add:
        case Opcode::subtract:
            return absorb_sum(value, minus[0], minus[1] != (operation.opcode == Opcode::subtract));
        case Opcode::multiply: sign = minus[0] != minus[1]; return false;
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma: {
            const bool product = (minus[0] != minus[1]) != (operation.opcode == Opcode::fnma);
            const bool addend = minus[2] != (operation.opcode == Opcode::fms);
            if (operation.strict && product && addend) { // −(a·b) − c has no operation of its own
                operation.opcode = Opcode::fnma;
                return leave(value, {false, false, true});
            }
            operation.opcode = product == addend ? Opcode::fma : product ? Opcode::fnma : Opcode::fms;
            sign = product && addend;
            return false;
        }
        case Opcode::splat: sign = minus[0]; return false;
        case Opcode::convert:
            if (!is_floating(program_[operation.operands[0]].type.scalar)) return leave(value, minus);
            sign = minus[0];
            return false;
        case Opcode::shuffle:
            if (reads_one(operation.lane_map, program_[operation.operands[0]].type.lanes, 0))
                minus[1] = minus[0];
            if (reads_one(operation.lane_map, program_[operation.operands[0]].type.lanes, 1))
                minus[0] = minus[1];
            if (minus[0] != minus[1]) return leave(value, minus);
            sign = minus[0];
            return false;
        case Opcode::select:
            if (minus[1] != minus[2]) return leave(value, minus);
            sign = minus[1];
            return false;
        default: return leave(value, minus);
        }
    }

    bool absorb_sum(Value value, bool minus_a, bool minus_b) {
        Operation& operation = program_[value];
        char& sign = negative_[static_cast<std::size_t>(value)];
        if (operation.strict && minus_a && minus_b) {
            operation.opcode = Opcode::subtract;
            return leave(value, {true, false, false});
        }
        operation.opcode = minus_a == minus_b ? Opcode::add : Opcode::subtract;
        if (minus_a == minus_b) {
            sign = minus_a;
            return false;
        }
        if (minus_a) std::swap(operation.operands[0], operation.operands[1]);
        if (operation.strict) return false;
        const auto [a, b, c] = operation.operands;
        if (const Value reverse = difference_of(b, a); reverse != no_value) {
            bases_[static_cast<std::size_t>(value)] = reverse;
            sign = true;
            return true;
        }
        if (difference_of(a, b) == no_value) differences_.insert(hash_of_difference(a, b), value, 0);
        return false;
    }

    static std::size_t hash_of_difference(Value a, Value b) {
        return mix_hash(static_cast<std::size_t>(a), static_cast<std::uint64_t>(b));
    }
    /// a − b, if the straight-line block has computed it.
    Value difference_of(Value a, Value b) const {
        const auto* const known = differences_.find(hash_of_difference(a, b), [&](Value difference) {
            return program_[difference].operands[0] == a && program_[difference].operands[1] == b;
        });
        return known == nullptr ? no_value : known->value;
    }

    /// Whether the lane map takes nothing from the other operand.
    static bool reads_one(const std::vector<std::int8_t>& lane_map, int lanes, int operand) {
        for (const int lane : lane_map)
            if (lane >= 0 && (lane >= lanes) != (operand == 1)) return false;
        return true;
    }

    bool leave(Value value, const std::array<bool, 3>& minus) {
        for (std::size_t i = 0; i < 3; ++i)
            if (minus[i]) uses_.push_back({value, i});
        return false;
    }

    Program& program_;
    std::vector<Value> bases_;
    std::vector<char> negative_;
    std::vector<NegatedUse> uses_;
    ValueTable differences_; ///< of the straight-line block
    bool has_changed_ = false;
};

/// Second walk: performs the recorded negations, pushing them backwards where that is free.
class Backward {
public:
    explicit Backward(Program& program)
        : program_(program),
          uses_(use_counts(program)),
          negated_uses_(uses_.size(), 0),
          flipped_(uses_.size(), false) {}

    void run(const std::vector<NegatedUse>& negated) {
        for (const NegatedUse& use : negated) ++negated_uses_[index(operand(use))];
        for (const NegatedUse& use : negated) {
            const Value value = operand(use);
            if (flipped_[index(value)]) continue;
            if (negated_uses_[index(value)] == uses_[index(value)] && flip(value, max_distance)) {
                flipped_[index(value)] = true;
                continue;
            }
            operand(use) = insert_before(use.user, negative_of(value));
        }
        if (!inserted_.empty()) place_inserted();
    }

private:
    static constexpr int max_distance = 6; ///< how far back a sign is pushed

    static std::size_t index(Value value) { return static_cast<std::size_t>(value); }
    Value& operand(const NegatedUse& use) { return program_[use.user].operands[use.operand]; }

    /// Turns `value`, of which only the negative is used, into that negative without an additional operation.
    bool flip(Value value, int distance) {
        if (distance == 0) return false;
        Operation& operation = program_[value];
        if (operation.strict && operation.opcode != Opcode::multiply) return false;
        auto& [a, b, c] = operation.operands;
        switch (operation.opcode) {
        case Opcode::constant: operation.constant = -operation.constant; return true;
        case Opcode::subtract: std::swap(a, b); return true;
        case Opcode::fms: operation.opcode = Opcode::fnma; return true;
        case Opcode::fnma: operation.opcode = Opcode::fms; return true;
        case Opcode::multiply: return flip_operand(a, distance) || flip_operand(b, distance);
        case Opcode::add:
            if (!flip_operand(a, distance)) {
                if (!flip_operand(b, distance)) return false;
                std::swap(a, b);
            }
            operation.opcode = Opcode::subtract;
            return true;
        case Opcode::fma:
            if (flip_operand(c, distance))
                operation.opcode = Opcode::fnma;
            else if (flip_operand(a, distance) || flip_operand(b, distance))
                operation.opcode = Opcode::fms;
            else
                return false;
            return true;
        default: return false;
        }
    }

    bool flip_operand(Value value, int distance) {
        return uses_[index(value)] == 1 && flip(value, distance - 1);
    }

    Operation negative_of(Value value) const {
        if (program_[value].opcode == Opcode::constant) {
            Operation constant = program_[value];
            constant.constant = -constant.constant;
            return constant;
        }
        Operation negate;
        negate.opcode = Opcode::negate;
        negate.type = program_[value].type;
        negate.operands[0] = value;
        return negate;
    }

    Value insert_before(Value user, Operation&& operation) {
        const Value value = program_.append(std::move(operation));
        inserted_[user].push_back(value);
        return value;
    }

    void place_inserted() {
        for_each_straight_line_block(program_, [&](StraightLineBlock& block) {
            std::vector<Value> operations;
            operations.reserve(block.operations.size() + inserted_.size());
            for (const Value value : block.operations) {
                if (const auto found = inserted_.find(value); found != inserted_.end())
                    operations.insert(operations.end(), found->second.begin(), found->second.end());
                operations.push_back(value);
            }
            block.operations = std::move(operations);
        });
    }

    Program& program_;
    std::vector<int> uses_;
    std::vector<int> negated_uses_;
    std::vector<bool> flipped_;
    std::unordered_map<Value, std::vector<Value>> inserted_; ///< by the operation they precede
};

} // namespace

bool propagate_signs_in(Program& program) {
    Forward forward(program);
    const std::vector<NegatedUse> negated = forward.run();
    if (!negated.empty()) Backward(program).run(negated);
    return forward.has_changed();
}

} // namespace swirl::passes
