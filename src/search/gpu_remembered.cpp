#include "search/gpu_remembered.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/shared_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

using planning::Recipe;

namespace {

constexpr std::size_t most_from_elsewhere = 8;
constexpr int driver_version_unit = 1000; ///< 13020 is 13.2

/// The recipe if it is one for such GPUs.
std::optional<Recipe> recipe_for(const target::Gpu& gpu, const std::string& text) {
    try {
        Recipe recipe = planning::parse_recipe(text);
        if (recipe.machine == gpu.name) return recipe;
    } catch (const UserError&) {
        // from another version, or damaged
    }
    return std::nullopt;
}

WisdomKey key_of(const Problem& problem, const GpuMachine& machine) {
    return {machine.key, to_text(problem)};
}

} // namespace

std::string gpu_machine_key(const std::string& name, int capability_major, int capability_minor,
                            int multiprocessors, int driver_version) {
    return fmt::format("{}, compute {}.{}, {} multiprocessors, CUDA {}", name, capability_major,
                       capability_minor, multiprocessors, driver_version / driver_version_unit);
}

GpuMachine gpu_machine_of(const runtime::GpuDevice& device) {
    const runtime::GpuFacts& facts = device.facts();
    const target::Gpu& best = device.target();
    return {gpu_machine_key(facts.name, facts.capability_major, facts.capability_minor,
                            device.attribute(runtime::cuda::DeviceAttribute::multiprocessors),
                            device.driver().version()),
            device.driver().version() >= best.driver_version ? best : target::gpu_named("generic")};
}

Wisdom* GpuRecipeMemory::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

std::optional<RememberedForGpu> GpuRecipeMemory::recall(const Problem& problem, const GpuMachine& machine) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(problem, machine);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    if (auto recipe = recipe_for(machine.gpu, entry->recipe))
        return RememberedForGpu{std::move(*recipe), entry->seconds, entry->found_by,
                                entry->version == version()};
    wisdom->forget(key);
    return std::nullopt;
}

std::optional<RememberedForGpu> GpuRecipeMemory::recall(const Problem& problem, const target::Gpu& gpu) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    std::optional<RememberedForGpu> best;
    for (const auto& [key, entry] : wisdom->entries_for(to_text(problem))) {
        if (entry.version != version() || (best && entry.seconds >= best->seconds)) continue;
        if (auto recipe = recipe_for(gpu, entry.recipe))
            best = RememberedForGpu{std::move(*recipe), entry.seconds, entry.found_by, true};
    }
    return best;
}

std::vector<Recipe> GpuRecipeMemory::elsewhere(const Problem& problem, const GpuMachine& machine) {
    std::vector<Recipe> result;
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return result;
    for (const auto& [key, entry] : wisdom->entries_for(to_text(problem))) {
        if (key.machine == machine.key || result.size() == most_from_elsewhere) continue;
        auto recipe = recipe_for(machine.gpu, entry.recipe);
        if (recipe && std::find(result.begin(), result.end(), *recipe) == result.end())
            result.push_back(std::move(*recipe));
    }
    return result;
}

void GpuRecipeMemory::keep(const Problem& problem, const GpuMachine& machine, const Recipe& recipe,
                           double seconds, FoundBy how) {
    if (Wisdom* const wisdom = open(true))
        wisdom->replace(key_of(problem, machine),
                        {.recipe = planning::to_string(recipe), .seconds = seconds, .found_by = how});
}

void GpuRecipeMemory::forget(const Problem& problem, const GpuMachine& machine) {
    if (Wisdom* const wisdom = open(false)) wisdom->forget(key_of(problem, machine));
}

} // namespace swirl::search
