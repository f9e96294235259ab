#include "search/wisdom/recipe_wisdom.hpp"

#include "base/error.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"
#include "search/cost/host.hpp"
#include "search/wisdom/shared_wisdom.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace swirl::search {

using planning::Recipe;

namespace {

constexpr std::size_t max_from_elsewhere = 8;

/// The recipe if it is valid for the CPU.
std::optional<Recipe> recipe_for(const target::Cpu& cpu, const std::string& text) {
    try {
        Recipe recipe = planning::parse_recipe(text);
        if (recipe.target == cpu.name) return recipe;
    } catch (const UserError&) {
        // from another version, or damaged
    }
    return std::nullopt;
}

} // namespace

Wisdom* RecipeWisdom::open(bool to_write) const { return in_use_ ? shared_wisdom(to_write) : nullptr; }

/// The fastest recipe depends on the thread count as well as on the machine.
WisdomKey RecipeWisdom::key_of(const Transform& problem, int threads) const {
    Host host = this_host();
    host.instruction_set = cpu_.name;
    std::string key = host_key(host);
    if (threads > 1) key += fmt::format(", {} threads", threads);
    return {std::move(key), to_text(problem)};
}

std::optional<StoredRecipe> RecipeWisdom::lookup(const Transform& problem, int threads) {
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return std::nullopt;
    const WisdomKey key = key_of(problem, threads);
    const std::optional<WisdomEntry> entry = wisdom->find(key);
    if (!entry) return std::nullopt;
    if (auto recipe = recipe_for(cpu_, entry->recipe))
        return StoredRecipe{std::move(*recipe), entry->seconds, entry->found_by, entry->version == version()};
    wisdom->erase(key);
    return std::nullopt;
}

std::vector<Recipe> RecipeWisdom::elsewhere(const Transform& problem, int threads) {
    std::vector<Recipe> result;
    Wisdom* const wisdom = open(false);
    if (wisdom == nullptr) return result;
    const WisdomKey key = key_of(problem, threads);
    for (const auto& [other, entry] : wisdom->entries_for(key.problem)) {
        if (other.machine == key.machine || result.size() == max_from_elsewhere) continue;
        auto recipe = recipe_for(cpu_, entry.recipe);
        if (recipe && std::find(result.begin(), result.end(), *recipe) == result.end())
            result.push_back(std::move(*recipe));
    }
    return result;
}

void RecipeWisdom::store(const Transform& problem, int threads, const RecipeCandidate& winner, FoundBy how) {
    if (Wisdom* const wisdom = open(true))
        wisdom->replace(
            key_of(problem, threads),
            {.recipe = planning::to_string(winner.recipe), .seconds = winner.seconds, .found_by = how});
}

void RecipeWisdom::erase(const Transform& problem, int threads) {
    if (Wisdom* const wisdom = open(false)) wisdom->erase(key_of(problem, threads));
}

} // namespace swirl::search
