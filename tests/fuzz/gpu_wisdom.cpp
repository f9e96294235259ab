#include "fuzz/draw_product.hpp"
#include "fuzz/gpu_transforms.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/transforms.hpp"
#include "fuzz/words.hpp"

#include "runtime/cuda/devices.hpp"
#include "search/wisdom/gpu_identity.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "support/temporary_folder.hpp"

#include <swirl/swirl.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace swirl::fuzz {
namespace {

/// What a search is to have found for a problem.
void store(const std::string& problem, const std::string& schedule) {
    const std::string device = search::gpu_identity_of(runtime::device_numbered(0)).key;
    search::shared_wisdom(true)->replace(
        {device, problem}, {.schedule = schedule, .seconds = 1e-6, .found_by = search::FoundBy::measure});
}

void run_transform_by_wisdom(Random& random, const Setting& setting, Journal& journal) {
    Limits small = setting.limits;
    small.points = std::min<Integer>(small.points, 4096);
    small.elements = std::min<Integer>(small.elements, 8192);
    const Transform problem = draw_transform(random, small);
    journal.doing("gpu " + to_text(problem));
    if (!is_valid(problem)) return journal.refused();
    const std::string schedule = mutated(
        swirl::plan(problem,
                    {.device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false})
            .schedule(),
        random);
    if (schedule.empty()) return journal.refused();
    journal.doing(fmt::format("gpu {}, wisdom says {}", to_text(problem), schedule));
    store(to_text(problem), schedule);
    Setting rough = setting;
    constexpr double slack = 8; // other algorithms than those that are chosen
    rough.tolerance *= slack;
    run_gpu_transform(
        problem,
        {.device = Device::gpu(), .check = random.chance(50), .use_wisdom = true, .use_kernel_cache = false},
        random, rough, journal);
}

/// The check before first use judges.
void run_product_by_wisdom(Random& random, const Setting& setting, Journal& journal) {
    const MatrixProduct product = draw_product(random, true, setting.limits.elements);
    journal.doing("gpu " + to_text(product));
    const std::string schedule = mutated(
        swirl::plan(product,
                    {.device = Device::gpu(), .check = false, .use_wisdom = false, .use_kernel_cache = false})
            .schedule(),
        random);
    if (schedule.empty()) return journal.refused();
    journal.doing(fmt::format("gpu {}, wisdom says {}", to_text(product), schedule));
    store(to_text(product), schedule);
    static_cast<void>(swirl::plan(product, {.device = Device::gpu(),
                                            .check = random.chance(70),
                                            .use_wisdom = true,
                                            .use_kernel_cache = false}));
}

} // namespace

void fuzz_gpu_wisdom(std::uint64_t seed, const Setting& setting, Journal& journal) {
    Random random(seed);
    const TemporaryFolder folder;
    ::setenv("SWIRL_WISDOM", (folder.path() / "wisdom.sqlite").c_str(), 1);
    search::warn_of_shared_wisdom_by([](std::string_view) {});
    if (random.chance(50)) return run_transform_by_wisdom(random, setting, journal);
    run_product_by_wisdom(random, setting, journal);
}

} // namespace swirl::fuzz
