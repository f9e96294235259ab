#include "sass/loop_writer.hpp"

#include "sass/loop_scoreboards.hpp"

#include <algorithm>

namespace swirl::sass {

unsigned PendingAccesses::needed_by(const Instruction& instruction) const {
    const std::vector<RegisterRange> read = registers_read(instruction),
                                     written = registers_written(instruction);
    const auto has = [](const std::vector<RegisterRange>& ranges, const RegisterRange& range) {
        return std::ranges::any_of(ranges, [&](const RegisterRange& other) { return other.overlaps(range); });
    };
    const UniformSet uniform = uniform_written(instruction);
    unsigned result = 0;
    for (int board = 0; board < scoreboards; ++board)
        for (const Access& access : accesses_[static_cast<std::size_t>(board)])
            if (has(written, access.range) || (access.is_write && has(read, access.range)) ||
                access.uniform.overlaps(uniform))
                result |= 1U << board;
    return result;
}

void PendingAccesses::issue(const Instruction& instruction) {
    const Control& control = instruction.control;
    for (int board = 0; board < scoreboards; ++board)
        if ((control.wait >> board & 1U) != 0) accesses_[static_cast<std::size_t>(board)].clear();
    // An instruction that has signalled its results has read its operands.
    const int reading =
        control.read_scoreboard != no_scoreboard ? control.read_scoreboard : control.write_scoreboard;
    if (reading < scoreboards) {
        std::vector<Access>& accesses = accesses_[static_cast<std::size_t>(reading)];
        for (const RegisterRange& range : registers_read(instruction)) accesses.push_back({range, false});
        accesses.push_back({{}, false, uniform_read(instruction)});
    }
    if (control.write_scoreboard < scoreboards)
        for (const RegisterRange& range : registers_written(instruction))
            accesses_[static_cast<std::size_t>(control.write_scoreboard)].push_back({range, true});
}

void set_scoreboard_waits(Code& body) {
    body.front().control.wait |= loop_scoreboards;
    PendingAccesses outstanding;
    for (int iteration = 0; iteration < 2; ++iteration)
        for (Instruction& instruction : body) {
            instruction.control.wait |= outstanding.needed_by(instruction);
            outstanding.issue(instruction);
        }
}

void set_reuse_flags(Code& body) {
    for (std::size_t position = 0; position < body.size(); ++position) {
        Instruction& instruction = body[position];
        if (kind_of(instruction) != Kind::multiply_add) continue;
        for (const int slot : {0, 1}) {
            const int own = slot == 0 ? instruction.a : instruction.b;
            for (std::size_t next = position + 1; next < body.size(); ++next) {
                const Instruction& other = body[next];
                const Kind kind = kind_of(other);
                if (other.control.wait != 0 || other.control.stall > 1 || kind == Kind::barrier) break;
                bool ends = false;
                for (const RegisterRange& range : registers_written(other)) ends = ends || range.has(own);
                for (const RegisterRange& range : registers_read(other)) {
                    const bool is_same_slot = range.slot == slot && range.first % 2 == own % 2;
                    if (!is_same_slot || kind == Kind::shared_load || kind == Kind::copy) continue;
                    ends = true;
                    if (kind == Kind::multiply_add && range.first == own)
                        instruction.control.reuse |= 1U << slot;
                }
                if (ends) break;
            }
        }
    }
}

} // namespace swirl::sass
