#include "search/gpu_search.hpp"

#include <algorithm>
#include <utility>

namespace swirl::search {

using lower::GpuMapping;
using planning::Recipe;
using rules::BreakdownTree;

namespace {

constexpr Integer row_of_banks = 32, largest_pitch = 4;

/// The mapping with one choice changed.
std::vector<GpuMapping> neighbours_of(const GpuMapping& mapping, const target::Gpu& gpu) {
    std::vector<GpuMapping> result;
    const auto add = [&](auto change) {
        GpuMapping other = mapping;
        change(other);
        if (other != mapping && other.threads >= 1 && other.threads <= gpu.threads_per_block &&
            other.transforms >= 1)
            result.push_back(other);
    };
    const auto doubled = [](Integer& number) { number *= 2; };
    const auto halved = [](Integer& number) { number = number % 2 == 0 ? number / 2 : number; };
    add([&](GpuMapping& m) { doubled(m.threads); });
    add([&](GpuMapping& m) { halved(m.threads); });
    const bool spread = mapping.cluster > 1 || mapping.together; // such a block has one transform
    if (!spread) {
        add([&](GpuMapping& m) { doubled(m.transforms); });
        add([&](GpuMapping& m) { halved(m.transforms); });
        add([&](GpuMapping& m) { doubled(m.threads), doubled(m.transforms); });
        add([&](GpuMapping& m) { m.threads % 2 == 0 ? (halved(m.threads), halved(m.transforms)) : void(); });
        using lower::Staged;
        for (const Staged staged : {Staged::none, Staged::both, Staged::in, Staged::out})
            if (staged != mapping.staged) add([&](GpuMapping& m) { m.staged = staged; });
        add([&](GpuMapping& m) { m.one_vector = !m.one_vector; });
        add([&](GpuMapping& m) { m.shared_row = m.shared_row == 0 ? row_of_banks : 0; });
    }
    if (spread || mapping.transforms > 1) {
        add([&](GpuMapping& m) { m.shared_pitch = std::min(m.shared_pitch + 1, largest_pitch); });
        add([&](GpuMapping& m) { m.shared_pitch = std::max<Integer>(m.shared_pitch - 1, 0); });
    }
    return result;
}

/// The trees with two neighbouring radices of some product of passes exchanged.
std::vector<BreakdownTree> neighbours_of(const BreakdownTree& tree) {
    std::vector<BreakdownTree> result;
    if (tree.rule == "stockham" || tree.rule == "rdft-stockham")
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

std::vector<Recipe> gpu_neighbours(const Recipe& recipe, const target::Gpu& gpu) {
    std::vector<Recipe> result;
    for (std::size_t k = 0; k < recipe.steps.size(); ++k) {
        const planning::StepRecipe& step = recipe.steps[k];
        for (std::size_t i = 0; i < step.mappings.size(); ++i)
            for (const GpuMapping& mapping : neighbours_of(step.mappings[i], gpu)) {
                result.push_back(recipe);
                result.back().steps[k].mappings[i] = mapping;
            }
        for (BreakdownTree& tree : neighbours_of(step.tree)) {
            result.push_back(recipe);
            result.back().steps[k].tree = std::move(tree);
        }
    }
    return result;
}

} // namespace swirl::search
