#pragma once

#include "loops/loop_program.hpp"
#include "loops/request.hpp"

#include <functional>
#include <span>
#include <string_view>

/// The passes over Σ-SPL, as data.
namespace swirl::loops {

struct Pass {
    std::string_view name;
    void (*function)(LoopProgram&, const Request&);
};

/// For the ir of a CPU: the first pass builds the loops (build.hpp) and merges them while it descends through the
/// formula, the next ones shape them, the last ones place all tags.
std::span<const Pass> cpu_passes();
/// For kernels that run a loop program as it is.
std::span<const Pass> portable_passes();

/// Called with the program after each pass.
using Observer = std::function<void(const Pass&, const LoopProgram&)>;

/// The request's loops after all passes, from the first variant that suits its callbacks (callbacks.hpp).
LoopProgram loops_for_cpu(const Request& request, const Observer& observer = {});
LoopProgram portable_loops(const Request& request);

} // namespace swirl::loops
