#include "plan/transform/schedule.hpp"

#include "base/error.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace swirl::planning {

namespace {

constexpr std::string_view scalar_word = "scalar";
constexpr std::string_view chunk_word = "chunk";
constexpr std::string_view configuration_word = " on ";

/// A launch configuration's named choice: an integer, omitted from the text if it has the usual value; a flag; or what
/// is staged. A name precedes its own prefixes.
struct NamedChoice {
    std::string_view name;
    Integer loops::LaunchConfiguration::*integer = nullptr;
    bool loops::LaunchConfiguration::*flag = nullptr;
    loops::SmemStaging staged = loops::SmemStaging::none;
    loops::Roots roots = loops::Roots::by_size;
    Integer usual = 0;
};
constexpr NamedChoice named_choices[] = {
    {.name = "cluster", .integer = &loops::LaunchConfiguration::cluster, .usual = 1},
    {.name = "cooperative_groups", .integer = &loops::LaunchConfiguration::cooperative_groups},
    {.name = "group_blocks", .integer = &loops::LaunchConfiguration::group_blocks},
    {.name = "pipelined", .flag = &loops::LaunchConfiguration::pipelined},
    {.name = "evict_last", .flag = &loops::LaunchConfiguration::evict_last},
    {.name = "pad", .integer = &loops::LaunchConfiguration::smem_pad_interval},
    {.name = "pitch", .integer = &loops::LaunchConfiguration::smem_vector_pad},
    {.name = "single_buffer", .flag = &loops::LaunchConfiguration::single_buffer},
    {.name = "fused", .flag = &loops::LaunchConfiguration::fused},
    {.name = "resident", .integer = &loops::LaunchConfiguration::resident},
    {.name = "staged in", .staged = loops::SmemStaging::in},
    {.name = "staged out", .staged = loops::SmemStaging::out},
    {.name = "staged", .staged = loops::SmemStaging::both},
    {.name = "roots loaded", .roots = loops::Roots::loaded},
    {.name = "roots multiplied", .roots = loops::Roots::multiplied},
    {.name = "fuse_nested", .flag = &loops::LaunchConfiguration::fuse_nested},
    {.name = "separate_above", .integer = &loops::LaunchConfiguration::separate_above},
};

std::string choice_names() {
    std::vector<std::string_view> names;
    for (const NamedChoice& choice : named_choices) names.push_back(choice.name);
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Consumes words, integers and symbols from the front of a text.
class ConfigurationParser {
public:
    explicit ConfigurationParser(std::string_view text) : text_(text), rest_(text) {}

    std::vector<loops::LaunchConfiguration> parse() {
        std::vector<loops::LaunchConfiguration> result;
        do result.push_back(configuration());
        while (take(","));
        if (!rest_.empty()) fail("',', ';' or a choice (" + choice_names() + ")");
        return result;
    }

private:
    loops::LaunchConfiguration configuration() {
        loops::LaunchConfiguration result{};
        result.threads = integer();
        if (!take("x")) fail("'x' between threads and transforms");
        result.transforms = integer();
        while (const NamedChoice* choice = take_choice())
            if (choice->flag != nullptr)
                result.*choice->flag = true;
            else if (choice->staged != loops::SmemStaging::none)
                result.staged = choice->staged;
            else if (choice->roots != loops::Roots::by_size)
                result.roots = choice->roots;
            else
                result.*choice->integer = integer();
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

    Integer integer() {
        rest_ = trimmed(rest_);
        Integer value = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (error != std::errc() || value < 1) fail("an integer from 1");
        rest_ = trimmed(rest_.substr(static_cast<std::size_t>(end - rest_.data())));
        return value;
    }

    [[noreturn]] void fail(const std::string& expected) const {
        throw UserError("schedule pass '… on {}': expected {}{}", text_, expected,
                        rest_.empty() ? " at the end" : fmt::format(", found '{}'", rest_));
    }

    std::string_view text_;
    std::string_view rest_;
};

Integer parse_chunk(std::string_view text) {
    const std::string_view value = trimmed(text.substr(chunk_word.size()));
    Integer chunk = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), chunk);
    if (error != std::errc() || end != value.data() + value.size() || chunk < 1)
        throw UserError("schedule pass '{}': expected an integer from 1 after 'chunk', found '{}'", text,
                        value);
    return chunk;
}

PassSchedule parse_pass(std::string_view text) {
    PassSchedule pass;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), pass.dimension);
    if (error != std::errc())
        throw UserError("schedule pass '{}': expected a dimension's index, then a breakdown tree", text);
    const std::string_view rest = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
    const auto on = rest.find(configuration_word);
    pass.tree = rules::parse_tree(trimmed(rest.substr(0, on)));
    if (on != std::string_view::npos)
        pass.configurations =
            ConfigurationParser(trimmed(rest.substr(on + configuration_word.size()))).parse();
    return pass;
}

} // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::string to_string(const loops::LaunchConfiguration& configuration) {
    std::string text = fmt::format("{}x{}", configuration.threads, configuration.transforms);
    for (const NamedChoice& choice : named_choices)
        if (choice.flag != nullptr)
            text += configuration.*choice.flag ? fmt::format(" {}", choice.name) : "";
        else if (choice.staged != loops::SmemStaging::none)
            text += configuration.staged == choice.staged ? fmt::format(" {}", choice.name) : "";
        else if (choice.roots != loops::Roots::by_size)
            text += configuration.roots == choice.roots ? fmt::format(" {}", choice.name) : "";
        else if (const Integer value = configuration.*choice.integer; value != choice.usual)
            text += fmt::format(" {} {}", choice.name, value);
    return text;
}

std::string to_string(const TransformSchedule& schedule) {
    std::vector<std::string> items;
    if (schedule.scalar) items.emplace_back(scalar_word);
    if (schedule.chunk > 0) items.push_back(fmt::format("{} {}", chunk_word, schedule.chunk));
    for (const PassSchedule& pass : schedule.passes) {
        std::string text = fmt::format("{} {}", pass.dimension, rules::to_string(pass.tree));
        std::string_view between = configuration_word;
        for (const loops::LaunchConfiguration& configuration : pass.configurations) {
            text += std::exchange(between, ", ");
            text += to_string(configuration);
        }
        items.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(items, "; "));
}

TransformSchedule parse_transform_schedule(std::string_view text) {
    TransformSchedule schedule;
    std::string_view rest = trimmed(text);
    while (!rest.empty()) {
        const auto end = std::min(rest.find(';'), rest.size());
        const std::string_view item = trimmed(rest.substr(0, end));
        const bool is_first = schedule.passes.empty();
        if (is_first && !schedule.scalar && item == scalar_word)
            schedule.scalar = true;
        else if (is_first && schedule.chunk == 0 && item.starts_with(chunk_word))
            schedule.chunk = parse_chunk(item);
        else
            schedule.passes.push_back(parse_pass(item));
        rest = trimmed(rest.substr(std::min(end + 1, rest.size())));
    }
    return schedule;
}

} // namespace swirl::planning
