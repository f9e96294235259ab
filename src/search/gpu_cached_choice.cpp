#include "search/gpu_cached_choice.hpp"

#include "base/build_id.hpp"
#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/cost/gpu_estimate.hpp"

#include <optional>
#include <span>
#include <string>

namespace swirl::search {

using planning::Recipe;

namespace {

runtime::CacheKey key_of(const std::string& problem, const target::Gpu& gpu) {
    const std::string_view parts[] = {"recipe", version(), build_id(), gpu.name, problem};
    return runtime::CacheKey::of(parts);
}

std::optional<Recipe> recalled(const runtime::CacheKey& key, const target::Gpu& gpu,
                               const runtime::KernelCache& cache) {
    const auto bytes = cache.find(key);
    if (!bytes) return std::nullopt;
    try {
        Recipe recipe = planning::parse_recipe({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
        if (recipe.target == gpu.name) return recipe;
    } catch (const UserError&) {} // intact but not a recipe: written by another program
    cache.drop(key);
    return std::nullopt;
}

} // namespace

Recipe cached_gpu_recipe(const Transform& problem, const target::Gpu& gpu, runtime::KernelCache* cache) {
    if (cache == nullptr || build_id().empty()) return gpu_recipe(problem, gpu);
    const std::string text = to_text(problem);
    const runtime::CacheKey key = key_of(text, gpu);
    if (auto recipe = recalled(key, gpu, *cache)) return *recipe;
    Recipe recipe = gpu_recipe(problem, gpu);
    const std::string answer = planning::to_string(recipe);
    cache->store(key, {std::string(gpu.name), "recipe for " + text}, std::as_bytes(std::span(answer)));
    return recipe;
}

} // namespace swirl::search
