#include "fuzz/gpu_transforms.hpp"
#include "fuzz/callback_transforms.hpp"
#include "fuzz/on_gpu.hpp"

namespace swirl::fuzz {

void run_gpu_transform(const Transform& problem, const Options& options, Random& random,
                       const Setting& setting, Journal& journal) {
    CallbackTransformRun<OnGpu, WorkspaceOnGpu>(problem, random, setting, journal).run(options);
}

void fuzz_gpu_transform(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    const Transform problem = draw_callback_transform(random, setting.limits);
    journal.doing("gpu " + to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    const Options options{
        .device = Device::gpu(), .check = random.chance(50), .use_wisdom = false, .use_kernel_cache = false};
    run_gpu_transform(problem, options, random, setting, journal);
}

} // namespace swirl::fuzz
