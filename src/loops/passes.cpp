#include "loops/passes.hpp"

#include "base/error.hpp"
#include "loops/build.hpp"
#include "loops/callbacks.hpp"
#include "loops/overlap_vectors.hpp"
#include "loops/place_execution_tags.hpp"
#include "loops/place_pair_tags.hpp"
#include "loops/place_vector_tags.hpp"
#include "loops/reuse_output.hpp"
#include "loops/split_loops.hpp"

namespace swirl::loops {

namespace {

constexpr Pass cpu_list[] = {
    {"build", [](LoopProgram& program, const Request& request) { program = build(request); }},
    {"split long loops", split_long_loops},
    {"reuse output", reuse_output},
    {"place pair tags", place_pair_tags},
    {"place vector tags", place_vector_tags},
    {"place unroll tags", place_unroll_tags},
    {"place smp tags", place_smp_tags},
    {"remove vector tags for callbacks", remove_inexact_vector_tags},
    {"overlap vectors", overlap_vectors},
};
constexpr std::size_t shaping_passes = 2; ///< at the beginning of cpu_list

LoopProgram run(const Request& request, std::span<const Pass> passes, const Observer& observer) {
    LoopProgram program;
    for (const Pass& pass : passes) {
        pass.function(program, request);
        if (observer) observer(pass, program);
    }
    return program;
}

/// Runs the passes on the first variant of the request that suits its callbacks.
LoopProgram run_for_callbacks(const Request& request, std::span<const Pass> passes,
                              const Observer& observer) {
    if (!request.load && !request.store) return run(request, passes, observer);
    for (const Request& variant : variants_for_callbacks(request)) {
        try {
            LoopProgram program = run(variant, passes, {});
            if (suits_callbacks(program, request)) return observer ? run(variant, passes, observer) : program;
        } catch (const UnfollowedMap&) {} // forms are followed less far than addresses
    }
    throw InternalError("no loops suit the callbacks");
}

} // namespace

std::span<const Pass> cpu_passes() { return cpu_list; }
std::span<const Pass> portable_passes() { return cpu_passes().first(shaping_passes); }

LoopProgram loops_for_cpu(const Request& request, const Observer& observer) {
    return run_for_callbacks(request, cpu_passes(), observer);
}

LoopProgram portable_loops(const Request& request) {
    return run_for_callbacks(request, portable_passes(), {});
}

} // namespace swirl::loops
