#include "fftw/wisdom.hpp"

#include "search/cost/cpu/host.hpp"
#include "search/target.hpp"
#include "search/wisdom/shared_wisdom.hpp"
#include "target/cpu.hpp"

#include <cctype>
#include <mutex>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>

namespace swirl::fftw {
namespace {

constexpr std::string_view own_name = "swirl_wisdom";
constexpr std::string_view name_of_fftws = "fftw";

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

Effort effort_of(search::FoundBy found_by) {
    switch (found_by) {
    case search::FoundBy::estimate:
    case search::FoundBy::shortlist: return Effort::estimate;
    case search::FoundBy::measure: return Effort::measure;
    case search::FoundBy::exhaustive: return Effort::exhaustive;
    }
    return Effort::estimate;
}

/// Reads to the parenthesis that closes all that are open.
bool skip_to_end(const Wisdom::ReadCharacter& read, int open) {
    while (open > 0) {
        const auto c = read();
        if (!c) return false;
        if (*c == '(') ++open;
        if (*c == ')') --open;
    }
    return true;
}

/// Lines up to the one that is a closing parenthesis.
std::optional<std::string> lines_to_end(const Wisdom::ReadCharacter& read) {
    std::string lines, line;
    for (;;) {
        const auto c = read();
        if (!c) return std::nullopt;
        if (line.empty() && *c == ')') return lines;
        if (line.empty() && is_space(*c)) continue;
        line += *c;
        if (*c != '\n') continue;
        lines += line;
        line.clear();
    }
}

} // namespace

bool Wisdom::knows(const std::string& transform, Effort effort) const {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(transform);
    return at != known_.end() && at->second.effort >= effort;
}

void Wisdom::remember(const std::string& transform, Effort effort, const std::string& schedule) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = known_.try_emplace(transform, Known{effort, schedule});
    if (!is_new && effort > at->second.effort) at->second = {effort, schedule};
}

void Wisdom::forget() {
    const std::lock_guard lock(mutex_);
    known_.clear();
}

std::string Wisdom::text() const {
    std::map<std::string, Known> known;
    {
        const std::lock_guard lock(mutex_);
        known = known_;
    }
    const ForkSection section;
    const std::string device = search::cpu_key(*std::get<const target::Cpu*>(search::target_of({})));
    search::Wisdom collected(":memory:");
    search::Wisdom* const timed = search::shared_wisdom(false);
    for (const auto& [problem, how] : known) {
        collected.store({device, problem}, {.schedule = how.schedule});
        if (timed == nullptr || how.effort == Effort::estimate) continue;
        for (const auto& [key, entry] : timed->entries_for(problem)) collected.store(key, entry);
    }
    std::ostringstream lines;
    collected.export_lines(lines);
    return "(" + std::string(own_name) + "\n" + lines.str() + ")\n";
}

bool Wisdom::import(const ReadCharacter& read) {
    std::optional<char> c = read();
    while (c && is_space(*c)) c = read();
    if (c != '(') return false;
    std::string name;
    for (c = read(); c && !is_space(*c) && *c != '(' && *c != ')'; c = read()) name += *c;
    if (!c) return false;
    if (name.starts_with(name_of_fftws)) return skip_to_end(read, *c == '(' ? 2 : *c == ')' ? 0 : 1);
    if (name != own_name || *c == '(') return false;
    if (*c == ')') return true;
    const auto lines = lines_to_end(read);
    if (!lines) return false;

    const ForkSection section;
    search::Wisdom imported(":memory:");
    std::istringstream stream(*lines);
    imported.import_lines(stream);
    for (const auto& [key, entry] : imported.entries()) {
        if (entry.found_by != search::FoundBy::estimate) search::shared_wisdom(true)->store(key, entry);
        remember(key.problem, effort_of(entry.found_by), entry.schedule);
    }
    return true;
}

} // namespace swirl::fftw
