#include "kept_plans.hpp"

#include "numpy.hpp"

#include <swirl/error.hpp>
#include <swirl/gpu.hpp>

#include <cstddef>
#include <set>
#include <vector>

namespace swirl::python {
namespace {

/// So many unused plans wait until all of them are destroyed: that waits for the GPU, which must not happen often.
constexpr std::size_t most_waiting = 64;

struct Waiting {
    std::shared_ptr<const void> recipe;
    int gpu;
};

/// Never destroyed, like the caches whose plans come here.
std::vector<Waiting>& waiting() {
    static auto* const plans = new std::vector<Waiting>;
    return *plans;
}

/// Returns when the GPU has done all that was enqueued; false if that cannot be known, as while a graph is captured.
bool wait_for(int gpu) {
    try {
        std::byte ignored{};
        gpu::Memory(1, gpu).copy_to(&ignored, 1);
        return true;
    } catch (const Error&) {
        return false;
    }
}

} // namespace

void destroy_after_work(std::shared_ptr<const void> recipe, int gpu) {
    waiting().push_back({std::move(recipe), gpu});
    if (waiting().size() < most_waiting) return;
    std::vector<Waiting> plans = std::exchange(waiting(), {});
    bool is_done = true;
    {
        nb::gil_scoped_release released;
        std::set<int> gpus;
        for (const Waiting& plan : plans) gpus.insert(plan.gpu);
        for (const int each : gpus) is_done = wait_for(each) && is_done;
        if (is_done) plans.clear();
    }
    waiting().insert(waiting().end(), plans.begin(), plans.end());
}

void keep_forever(std::shared_ptr<const void> recipe) {
    static auto* const kept = new std::set<std::shared_ptr<const void>>;
    kept->insert(std::move(recipe));
}

} // namespace swirl::python
