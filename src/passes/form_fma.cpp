#include "passes/form_fma.hpp"

#include "ir/analysis.hpp"

#include <span>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

/// The users of all multiplications: one array of users, and the start of each value's section.
class MultiplicationUsers {
public:
    explicit MultiplicationUsers(const Program& program) : begins_(program.operations.size() + 1, 0) {
        const auto each_use = [&](auto&& f) {
            for_each_operation(program, [&](Value user) {
                for_each_operand(program[user], [&](Value operand) {
                    if (program[operand].opcode == Opcode::multiply)
                        f(static_cast<std::size_t>(operand), user);
                });
            });
        };
        each_use([&](std::size_t operand, Value) { ++begins_[operand + 1]; });
        for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
        users_.resize(begins_.back());
        std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
        each_use([&](std::size_t operand, Value user) { users_[next[operand]++] = user; });
    }

    std::span<const Value> of(Value value) const {
        const auto v = static_cast<std::size_t>(value);
        return {users_.data() + begins_[v], begins_[v + 1] - begins_[v]};
    }

private:
    std::vector<std::size_t> begins_;
    std::vector<Value> users_;
};

/// The user is still an addition or subtraction, with the product as only one of its operands.
bool can_take(const Operation& user, Value product) {
    return (user.opcode == Opcode::add || user.opcode == Opcode::subtract) &&
           (user.operands[0] == product) != (user.operands[1] == product);
}

void contract(Operation& user, Value product, const Operation& multiplication) {
    const bool first = user.operands[0] == product;
    const Value addend = user.operands[first ? 1 : 0];
    user.opcode = user.opcode == Opcode::add ? Opcode::fma : first ? Opcode::fms : Opcode::fnma;
    user.operands = {multiplication.operands[0], multiplication.operands[1], addend};
    user.strict = user.strict || multiplication.strict;
}

/// Contracts the multiplications that all their users can absorb.
template <class CanTake>
void contract_all(Program& program, const MultiplicationUsers& users, CanTake&& takes) {
    for_each_straight_line_block(program, [&](StraightLineBlock& block) {
        std::size_t kept = 0;
        for (const Value value : block.operations) {
            bool contracted = false;
            if (program[value].opcode == Opcode::multiply && is_floating(program[value].type.scalar)) {
                const std::span<const Value> all = users.of(value);
                contracted = !all.empty();
                for (const Value user : all) contracted = contracted && takes(program[user], value);
                if (contracted)
                    for (const Value user : all) contract(program[user], value, program[value]);
            }
            if (!contracted) block.operations[kept++] = value;
        }
        block.operations.resize(kept);
    });
}

} // namespace

Program form_fma(Program program, bool has_fms) {
    const MultiplicationUsers users(program);
    if (!has_fms)
        contract_all(program, users, [](const Operation& user, Value product) {
            return can_take(user, product) &&
                   !(user.opcode == Opcode::subtract && user.operands[0] == product);
        });
    contract_all(program, users, can_take);
    return program;
}

} // namespace swirl::passes
