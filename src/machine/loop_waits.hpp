#pragma once

#include "machine/registers.hpp"

namespace swirl::machine {

/// Adds to a loop's instructions the waits for scoreboards that what they read or overwrite needs; the first one waits for all.
void set_waits(Code& body);

/// Flags the operands of multiply-adds that the next one in the same place and bank reads again, where nothing comes between.
void keep_operands(Code& body);

/// Registers that outstanding instructions are still to write or to read, by scoreboard.
class Outstanding {
public:
    /// Scoreboards that have to be at zero before the instruction is issued.
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

} // namespace swirl::machine
