#pragma once

#include "sass/registers.hpp"

#include <array>

namespace swirl::sass {

/// Adds the scoreboard waits that a loop's reads and writes need; the first instruction waits for all.
void set_scoreboard_waits(Code& body);

/// Sets the reuse flag of FMA operands that the next FMA reads again in the same operand and bank, with no
/// instruction between.
void set_reuse_flags(Code& body);

/// Registers that in-flight instructions have yet to write or read, by scoreboard.
class PendingAccesses {
public:
    /// Scoreboards that must be zero before the instruction issues.
    unsigned needed_by(const Instruction& instruction) const;
    void issue(const Instruction& instruction);

private:
    struct Access {
        RegisterRange range;
        bool is_write;
        UniformSet uniform = {}; ///< that are read
    };
    std::array<std::vector<Access>, scoreboards> accesses_;
};

} // namespace swirl::sass
