#pragma once

#include "support/run_program.hpp"

#include <nlohmann/json.hpp>

namespace swirl {

/// The program under test, with wisdom and a kernel cache of its own.
inline support::Outcome run_swirl(const std::string& arguments) {
    static const TemporaryFolder folder;
    const std::string wisdom = (folder.path() / "wisdom.sqlite").string();
    const std::string kernels = (folder.path() / "kernels").string();
    return support::run_command("SWIRL_WISDOM=" + support::quoted(wisdom) +
                                " SWIRL_KERNEL_CACHE=" + support::quoted(kernels) + " " +
                                support::quoted(SWIRL_BINARY_DIR "/bin/swirl") + " " + arguments);
}

} // namespace swirl
