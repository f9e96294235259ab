#include "plan/recipe.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::string_view blanks = " \t";
constexpr const char* scalar_suffix = " scalar";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

StepRecipe parse_step(std::string_view text) {
    StepRecipe step;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step.dimension);
    if (error != std::errc())
        throw UserError("recipe step '{}': expected a dimension's number, then a breakdown tree", text);
    step.tree = rules::parse_tree(trimmed(text.substr(static_cast<std::size_t>(end - text.data()))));
    return step;
}

} // namespace

std::string to_string(const Recipe& recipe) {
    std::string text = recipe.cpu + (recipe.scalar ? scalar_suffix : "") + ":";
    const char* separator = " ";
    for (const StepRecipe& step : recipe.steps) {
        text += fmt::format("{}{} {}", std::exchange(separator, "; "), step.dimension,
                            rules::to_string(step.tree));
    }
    return text;
}

Recipe parse_recipe(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        throw UserError("recipe '{}': expected 'CPU: DIMENSION TREE; …', found no ':'", text);
    const std::string_view machine = trimmed(text.substr(0, colon));
    const auto name_end = std::min(machine.find_first_of(blanks), machine.size());
    Recipe recipe{std::string(machine.substr(0, name_end)), {}};
    const std::string_view option = trimmed(machine.substr(name_end));
    if (!option.empty() && option != "scalar")
        throw UserError("recipe '{}': expected 'scalar' or ':' after the CPU, found '{}'", text, option);
    recipe.scalar = !option.empty();
    std::string_view rest = trimmed(text.substr(colon + 1));
    while (!rest.empty()) {
        const auto end = std::min(rest.find(';'), rest.size());
        recipe.steps.push_back(parse_step(trimmed(rest.substr(0, end))));
        rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
    }
    return recipe;
}

} // namespace swirl::planning
