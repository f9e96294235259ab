#include "loops/passes.hpp"

#include "loops/build.hpp"
#include "loops/place_execution_tags.hpp"
#include "loops/place_pair_tags.hpp"
#include "loops/place_vector_tags.hpp"
#include "loops/split_loops.hpp"

namespace swirl::loops {

namespace {

constexpr Pass cpu_list[] = {
    {"build", [](LoopProgram& program, const Request& request) { program = build(request); }},
    {"split long loops", split_long_loops},
    {"place pair tags", place_pair_tags},
    {"place vector tags", place_vector_tags},
    {"place unroll tags", place_unroll_tags},
    {"place smp tags", place_smp_tags},
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

} // namespace

std::span<const Pass> cpu_passes() { return cpu_list; }
std::span<const Pass> portable_passes() { return cpu_passes().first(shaping_passes); }

LoopProgram loops_for_cpu(const Request& request, const Observer& observer) {
    return run(request, cpu_passes(), observer);
}

LoopProgram portable_loops(const Request& request) { return run(request, portable_passes(), {}); }

} // namespace swirl::loops
