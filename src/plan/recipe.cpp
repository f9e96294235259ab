#include "plan/recipe.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::string_view blanks = " \t";
constexpr const char* scalar_suffix = " scalar";
constexpr std::string_view chunk_word = "chunk";
constexpr std::string_view mapping_word = " on ";

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// What a mapping has by name: a number, left out of the text where it is the usual one, whether something is so, or what
/// is staged. Longer names before those that they begin with.
struct NamedChoice {
    std::string_view name;
    Integer lower::GpuMapping::*number = nullptr;
    bool lower::GpuMapping::*flag = nullptr;
    lower::Staged staged = lower::Staged::none;
    lower::Roots roots = lower::Roots::by_size;
    Integer usual = 0;
};
constexpr NamedChoice named_choices[] = {
    {.name = "cluster", .number = &lower::GpuMapping::cluster, .usual = 1},
    {.name = "groups", .number = &lower::GpuMapping::groups},
    {.name = "group", .number = &lower::GpuMapping::group},
    {.name = "ahead", .flag = &lower::GpuMapping::ahead},
    {.name = "kept", .flag = &lower::GpuMapping::kept},
    {.name = "pad", .number = &lower::GpuMapping::shared_row},
    {.name = "pitch", .number = &lower::GpuMapping::shared_pitch},
    {.name = "held", .flag = &lower::GpuMapping::one_vector},
    {.name = "together", .flag = &lower::GpuMapping::together},
    {.name = "resident", .number = &lower::GpuMapping::resident},
    {.name = "staged in", .staged = lower::Staged::in},
    {.name = "staged out", .staged = lower::Staged::out},
    {.name = "staged", .staged = lower::Staged::both},
    {.name = "roots loaded", .roots = lower::Roots::loaded},
    {.name = "roots multiplied", .roots = lower::Roots::multiplied},
    {.name = "whole", .flag = &lower::GpuMapping::whole},
    {.name = "apart", .number = &lower::GpuMapping::apart},
};

std::string choice_names() {
    std::vector<std::string_view> names;
    for (const NamedChoice& choice : named_choices) names.push_back(choice.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Takes words, numbers and signs off the front of a text.
class MappingParser {
public:
    explicit MappingParser(std::string_view text) : text_(text), rest_(text) {}

    std::vector<lower::GpuMapping> parse() {
        std::vector<lower::GpuMapping> result;
        do result.push_back(mapping());
        while (take(","));
        if (!rest_.empty()) fail("',', ';' or a choice (" + choice_names() + ")");
        return result;
    }

private:
    lower::GpuMapping mapping() {
        lower::GpuMapping result{};
        result.threads = number();
        if (!take("x")) fail("'x' between threads and transforms");
        result.transforms = number();
        while (const NamedChoice* choice = take_choice())
            if (choice->flag != nullptr)
                result.*choice->flag = true;
            else if (choice->staged != lower::Staged::none)
                result.staged = choice->staged;
            else if (choice->roots != lower::Roots::by_size)
                result.roots = choice->roots;
            else
                result.*choice->number = number();
        return result;
    }

    const NamedChoice* take_choice() {
        for (const NamedChoice& choice : named_choices)
            if (take(choice.name)) return &choice;
        return nullptr;
    }

    bool take(std::string_view word) {
        rest_ = trimmed(rest_);
        if (!rest_.starts_with(word)) return false;
        rest_ = trimmed(rest_.substr(word.size()));
        return true;
    }

    Integer number() {
        rest_ = trimmed(rest_);
        Integer value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc() || value < 1) fail("a number from 1");
        rest_ = trimmed(rest_.substr(static_cast<std::size_t>(end - rest_.data())));
        return value;
    }

    [[noreturn]] void fail(const std::string& expected) const {
        throw UserError("recipe step '… on {}': expected {}{}", text_, expected,
                        rest_.empty() ? " at the end" : fmt::format(", found '{}'", rest_));
    }

    std::string_view text_;
    std::string_view rest_;
};

StepRecipe parse_step(std::string_view text) {
    StepRecipe step;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), step.dimension);
    if (error != std::errc())
        throw UserError("recipe step '{}': expected a dimension's number, then a breakdown tree", text);
    const std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const auto on = rest.find(mapping_word);
    step.tree = rules::parse_tree(trimmed(rest.substr(0, on)));
    if (on != std::string_view::npos)
        step.mappings = MappingParser(trimmed(rest.substr(on + mapping_word.size()))).parse();
    return step;
}

} // namespace

std::string to_string(const lower::GpuMapping& mapping) {
    std::string text = fmt::format("{}x{}", mapping.threads, mapping.transforms);
    for (const NamedChoice& choice : named_choices)
        if (choice.flag != nullptr)
            text += mapping.*choice.flag ? fmt::format(" {}", choice.name) : "";
        else if (choice.staged != lower::Staged::none)
            text += mapping.staged == choice.staged ? fmt::format(" {}", choice.name) : "";
        else if (choice.roots != lower::Roots::by_size)
            text += mapping.roots == choice.roots ? fmt::format(" {}", choice.name) : "";
        else if (const Integer value = mapping.*choice.number; value != choice.usual)
            text += fmt::format(" {} {}", choice.name, value);
    return text;
}

std::string to_string(const Recipe& recipe) {
    std::string text = recipe.machine + (recipe.scalar ? scalar_suffix : "");
    if (recipe.chunk > 0) text += fmt::format(" {} {}", chunk_word, recipe.chunk);
    text += ":";
    const char* separator = " ";
    for (const StepRecipe& step : recipe.steps) {
        text += fmt::format("{}{} {}", std::exchange(separator, "; "), step.dimension,
                            rules::to_string(step.tree));
        std::string_view between = mapping_word;
        for (const lower::GpuMapping& mapping : step.mappings) {
            text += std::exchange(between, ", ");
            text += to_string(mapping);
        }
    }
    return text;
}

Recipe parse_recipe(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == std::string_view::npos)
        throw UserError("recipe '{}': expected 'MACHINE: DIMENSION TREE; …', found no ':'", text);
    const std::string_view machine = trimmed(text.substr(0, colon));
    const auto name_end = std::min(machine.find_first_of(blanks), machine.size());
    Recipe recipe{std::string(machine.substr(0, name_end)), {}};
    const std::string_view option = trimmed(machine.substr(name_end));
    recipe.scalar = option == "scalar";
    if (option.starts_with(chunk_word)) {
        const std::string_view number = trimmed(option.substr(chunk_word.size()));
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), recipe.chunk);
        if (error != std::errc() || end != number.data() + number.size() || recipe.chunk < 1)
            throw UserError("recipe '{}': expected a number from 1 after 'chunk', found '{}'", text, number);
    } else if (!option.empty() && !recipe.scalar) {
        throw UserError("recipe '{}': expected 'scalar', 'chunk' or ':' after the machine, found '{}'", text,
                        option);
    }
    std::string_view rest = trimmed(text.substr(colon + 1));
    while (!rest.empty()) {
        const auto end = std::min(rest.find(';'), rest.size());
        recipe.steps.push_back(parse_step(trimmed(rest.substr(0, end))));
        rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
    }
    return recipe;
}

} // namespace swirl::planning
