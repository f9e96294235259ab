#include "sass/liveness.hpp"

namespace swirl::sass {

namespace {

/// Kinds for which the table omits predicates or uniform registers; they access no ordinary registers.
bool has_no_registers(Kind kind) { return kind == Kind::uniform || kind == Kind::predicate; }

RegisterSet before(const Instruction& instruction, RegisterSet live) {
    if (!has_known_registers(instruction))
        return has_no_registers(kind_of(instruction)) ? live : RegisterSet().set();
    if (instruction.is_unconditional())
        for (const RegisterRange& range : registers_written(instruction))
            for (int k = 0; k < range.count; ++k) live.reset(static_cast<std::size_t>(range.first + k));
    for (const RegisterRange& range : registers_read(instruction))
        for (int k = 0; k < range.count; ++k) live.set(static_cast<std::size_t>(range.first + k));
    return live;
}

} // namespace

std::vector<RegisterSet> live_registers(const Code& code) {
    std::vector<RegisterSet> live(code.size() + 1);
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t position = code.size(); position-- > 0;) {
            const Instruction& instruction = code[position];
            const Kind kind = kind_of(instruction);
            const bool may_leave = kind == Kind::exit || kind == Kind::branch;
            RegisterSet after;
            if (!may_leave || !instruction.is_unconditional() || (predicates_read(instruction) != 0))
                after = live[position + 1];
            if (const auto distance = distance_of(instruction)) {
                const std::int64_t target = static_cast<std::int64_t>(position) + 1 + *distance;
                if (target < 0 || target >= static_cast<std::int64_t>(code.size()))
                    after.set();
                else
                    after |= live[static_cast<std::size_t>(target)];
            }
            const RegisterSet now = before(instruction, after);
            changes = changes || now != live[position];
            live[position] = now;
        }
    }
    return live;
}

} // namespace swirl::sass
