#include "search/candidates/gpu/launch_configurations.hpp"
#include "search/candidates/gpu/transforms.hpp"

#include <algorithm>
#include <utility>

namespace swirl::search {

using loops::LaunchConfiguration;
using planning::Schedule;
using rules::BreakdownTree;

namespace {

constexpr Integer largest_tried_pitch = 4;

/// Configurations with one choice changed.
std::vector<LaunchConfiguration> neighbours_of(const LaunchConfiguration& configuration,
                                               const target::Gpu& gpu) {
    std::vector<LaunchConfiguration> result;
    const auto add = [&](auto change) {
        LaunchConfiguration other = configuration;
        change(other);
        if (other != configuration && other.threads >= 1 && other.threads <= gpu.threads_per_block &&
            other.transforms >= 1)
            result.push_back(other);
    };
    const auto doubled = [](Integer& value) { value *= 2; };
    const auto halved = [](Integer& value) { value = value % 2 == 0 ? value / 2 : value; };
    add([&](LaunchConfiguration& m) { doubled(m.threads); });
    add([&](LaunchConfiguration& m) { halved(m.threads); });
    const bool spread = configuration.cluster > 1 || configuration.fused; // such a block has one transform
    if (!spread) {
        add([&](LaunchConfiguration& m) { doubled(m.transforms); });
        add([&](LaunchConfiguration& m) { halved(m.transforms); });
        add([&](LaunchConfiguration& m) { doubled(m.threads), doubled(m.transforms); });
        add([&](LaunchConfiguration& m) {
            m.threads % 2 == 0 ? (halved(m.threads), halved(m.transforms)) : void();
        });
        using loops::SmemStaging;
        for (const SmemStaging staged :
             {SmemStaging::none, SmemStaging::both, SmemStaging::in, SmemStaging::out})
            if (staged != configuration.staged) add([&](LaunchConfiguration& m) { m.staged = staged; });
        add([&](LaunchConfiguration& m) { m.single_buffer = !m.single_buffer; });
        add([&](LaunchConfiguration& m) { m.smem_pad_interval = m.smem_pad_interval == 0 ? bank_count : 0; });
    }
    if (spread || configuration.transforms > 1) {
        add([&](LaunchConfiguration& m) {
            m.smem_vector_pad = std::min(m.smem_vector_pad + 1, largest_tried_pitch);
        });
        add([&](LaunchConfiguration& m) { m.smem_vector_pad = std::max<Integer>(m.smem_vector_pad - 1, 0); });
    }
    return result;
}

/// Trees with two adjacent radices of some product of passes swapped.
std::vector<BreakdownTree> neighbours_of(const BreakdownTree& tree) {
    std::vector<BreakdownTree> result;
    if (tree.rule == "stockham" || tree.rule == "rdft-stockham" || tree.rule == "wht-stockham")
        for (std::size_t k = 0; k + 1 < tree.choice.size(); ++k) {
            if (tree.choice[k] == tree.choice[k + 1]) continue;
            result.push_back(tree);
            std::swap(result.back().choice[k], result.back().choice[k + 1]);
        }
    for (std::size_t k = 0; k < tree.children.size(); ++k)
        for (BreakdownTree& child : neighbours_of(tree.children[k])) {
            result.push_back(tree);
            result.back().children[k] = std::move(child);
        }
    return result;
}

} // namespace

std::vector<Schedule> configuration_neighbours(const Schedule& schedule, const target::Gpu& gpu) {
    std::vector<Schedule> result;
    for (std::size_t k = 0; k < schedule.transform().passes.size(); ++k) {
        const planning::PassSchedule& pass = schedule.transform().passes[k];
        for (std::size_t i = 0; i < pass.configurations.size(); ++i)
            for (const LaunchConfiguration& configuration : neighbours_of(pass.configurations[i], gpu)) {
                result.push_back(schedule);
                result.back().transform().passes[k].configurations[i] = configuration;
            }
    }
    return result;
}

std::vector<Schedule> radix_order_neighbours(const Schedule& schedule) {
    std::vector<Schedule> result;
    for (std::size_t k = 0; k < schedule.transform().passes.size(); ++k)
        for (BreakdownTree& tree : neighbours_of(schedule.transform().passes[k].tree)) {
            result.push_back(schedule);
            result.back().transform().passes[k].tree = std::move(tree);
        }
    return result;
}

} // namespace swirl::search
