#include "search/wisdom/shipped_wisdom.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "problem/matrix_product.hpp"
#include "problem/problem.hpp"
#include "problem/syntax.hpp"
#include "search/wisdom/shipped_texts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <type_traits>
#include <utility>

namespace swirl::search {
namespace {

constexpr std::string_view format_line = "swirl wisdom 1";

/// Generations of CPUs with the cores, L1 and L2 caches of an earlier one.
constexpr std::pair<std::string_view, std::string_view> equal_cores[] = {
    {"family 6 model 207", "family 6 model 143"}, // Emerald Rapids, Sapphire Rapids
};

/// The text before the separator, which is removed with it; all of it if there is none.
std::string_view take_until(std::string_view& rest, char separator) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view first = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return first;
}

ShippedEntry entry_of(std::string_view line) {
    ShippedEntry entry{};
    entry.problem = take_until(line, '\t');
    entry.schedule = take_until(line, '\t');
    double microseconds = 0;
    std::from_chars(line.data(), line.data() + line.size(), microseconds);
    entry.seconds = microseconds * 1e-6;
    return entry;
}

/// The first line that is not less than the text, as an offset.
std::size_t lower_bound(std::string_view lines, std::string_view text) {
    std::size_t low = 0, high = lines.size(); // beginnings of lines, or the end
    while (low < high) {
        std::size_t middle = low + (high - low) / 2;
        const std::size_t newline = lines.rfind('\n', middle);
        middle = newline == std::string_view::npos || newline < low ? low : newline + 1;
        const std::size_t end = std::min(lines.find('\n', middle), lines.size());
        if (lines.substr(middle, end - middle) < text)
            low = std::min(end + 1, lines.size());
        else
            high = middle;
    }
    return low;
}

/// The words of a problem that all near it share: kind and lengths of a transform, "gemm".
std::string_view shared_words(std::string_view problem) {
    const std::size_t first = std::min(problem.find(' '), problem.size());
    if (names_product(problem)) return problem.substr(0, first);
    return problem.substr(0, std::min(problem.find(' ', first + 1), problem.size()));
}

double entries_of_batches(const Transform& problem) {
    double count = 1;
    for (const Dimension& batch : problem.batches) count *= static_cast<double>(batch.length);
    return count;
}

double octaves(double a, double b) { return std::abs(std::log2(a / b)); }

constexpr double never = std::numeric_limits<double>::infinity();

/// How far apart two transforms are; infinite if a schedule of one need not suit the other.
double distance(const Transform& a, const Transform& b) {
    Transform like = b;
    like.direction = a.direction;
    like.placement = a.placement;
    like.scale = a.scale;
    like.batches = a.batches;
    for (std::size_t k = 0; k < like.dimensions.size() && k < a.dimensions.size(); ++k) {
        like.dimensions[k].input_stride = a.dimensions[k].input_stride;
        like.dimensions[k].output_stride = a.dimensions[k].output_stride;
    }
    if (like != a) return never;
    constexpr double of_direction = 0.25, of_placement = 0.5, of_strides = 4;
    const auto has_other_strides = [&](std::size_t k) {
        return a.dimensions[k].input_stride != b.dimensions[k].input_stride ||
               a.dimensions[k].output_stride != b.dimensions[k].output_stride;
    };
    double result = octaves(entries_of_batches(a), entries_of_batches(b));
    result += a.direction != b.direction ? of_direction : 0;
    result += a.placement != b.placement ? of_placement : 0;
    for (std::size_t k = 0; k < a.dimensions.size(); ++k)
        if (a.placement == b.placement && has_other_strides(k)) result += of_strides;
    return result;
}

double distance(const MatrixProduct& a, const MatrixProduct& b) {
    if (a.data_type != b.data_type || a.a_type != b.a_type || a.b_type != b.b_type || a.c_type != b.c_type)
        return never;
    if (!a.epilogue.is_identity() || !b.epilogue.is_identity() || !a.reductions.empty() ||
        !b.reductions.empty())
        return never;
    double result = 0;
    for (const auto& [x, y] : {std::pair(a.rows, b.rows), std::pair(a.columns, b.columns),
                               std::pair(a.k, b.k), std::pair(a.batch, b.batch)}) {
        if (std::min(x, y) == 0) return never;
        const double apart = octaves(static_cast<double>(x), static_cast<double>(y));
        if (apart > 1) return never;
        result += apart;
    }
    constexpr double of_order = 0.5; // rows where the other has columns
    for (const bool differs :
         {(a.a.row_stride == 1) != (b.a.row_stride == 1), (a.b.row_stride == 1) != (b.b.row_stride == 1),
          (a.c.row_stride == 1) != (b.c.row_stride == 1)})
        result += differs ? of_order : 0;
    return result;
}

double distance(const Problem& a, const Problem& b) {
    return std::visit(
        [](const auto& x, const auto& y) {
            if constexpr (std::is_same_v<decltype(x), decltype(y)>)
                return distance(x, y);
            else
                return never;
        },
        a, b);
}

/// A file in memory, for the rest of the process.
struct NamedFile {
    std::string text;
    std::vector<ShippedWisdom> wisdom;
};

NamedFile read_named(const std::string& name) {
    NamedFile file;
    std::ifstream stream(name);
    std::ostringstream all;
    all << stream.rdbuf();
    file.text = all.str();
    return file;
}

std::span<const ShippedWisdom> wisdom_of_file(const std::string& name) {
    struct Files {
        ForkSafeMutex mutex;
        std::map<std::string, NamedFile> read;
        Files() = default;
        Files(Files&&) noexcept {}
    };
    static constinit LazyValue<Files> all;
    Files& files = all.get([] { return Files(); });
    const std::lock_guard lock(files.mutex);
    const auto [at, is_new] = files.read.try_emplace(name);
    if (is_new) {
        at->second = read_named(name);
        try {
            at->second.wisdom.emplace_back(at->second.text);
        } catch (const UserError& error) {
            log_warning(fmt::format("SWIRL_SHIPPED_WISDOM is {}: {}", name, error.what()));
        }
    }
    return at->second.wisdom;
}

} // namespace

std::string device_kind(std::string_view device) {
    if (const std::size_t driver = device.find(", CUDA "); driver != std::string_view::npos)
        return std::string(device.substr(0, driver));
    const std::size_t family = device.find(", family "), stepping = device.find(" stepping ");
    if (family == std::string_view::npos || stepping == std::string_view::npos || stepping < family)
        return {};
    std::string_view rest = device.substr(stepping + 1);
    take_until(rest, ','); // the stepping
    rest.remove_prefix(std::min<std::size_t>(1, rest.size()));
    const std::string_view instruction_set = take_until(rest, ',');
    const std::size_t first = family + 2;
    std::string_view generation = device.substr(first, stepping - first);
    for (const auto& [other, same] : equal_cores)
        if (generation == other) generation = same;
    return fmt::format("{}, {}", generation, instruction_set);
}

ShippedWisdom::ShippedWisdom(std::string_view text) : lines_(text) {
    constexpr std::string_view device_word = "device ";
    if (take_until(lines_, '\n') != format_line)
        throw UserError("it does not begin with '{}', as shipped wisdom does", format_line);
    device_ = take_until(lines_, '\n');
    if (!device_.starts_with(device_word)) throw UserError("its second line names no device");
    device_.remove_prefix(device_word.size());
}

std::vector<ShippedEntry> ShippedWisdom::entries() const {
    std::vector<ShippedEntry> result;
    for (std::string_view rest = lines_; !rest.empty();) result.push_back(entry_of(take_until(rest, '\n')));
    return result;
}

std::optional<ShippedEntry> ShippedWisdom::find(std::string_view problem) const {
    const std::string wanted = std::string(problem) + '\t';
    std::string_view rest = lines_.substr(lower_bound(lines_, wanted));
    const std::string_view line = take_until(rest, '\n');
    if (!line.starts_with(wanted)) return std::nullopt;
    return entry_of(line);
}

std::vector<ShippedEntry> ShippedWisdom::neighbours(const Problem& problem, std::size_t most) const {
    const std::string text = to_text(problem);
    const std::string_view shared = shared_words(text);
    std::vector<std::pair<double, ShippedEntry>> found;
    for (std::string_view rest = lines_.substr(lower_bound(lines_, shared)); rest.starts_with(shared);) {
        const std::string_view line = take_until(rest, '\n');
        const char after = line.size() > shared.size() ? line[shared.size()] : ' ';
        if (after != ' ' && after != '\t') continue; // "dft 10" and "dft 100"
        const ShippedEntry entry = entry_of(line);
        if (entry.problem == text) continue;
        try {
            const double apart = distance(problem, parse_problem(entry.problem));
            if (apart < never) found.emplace_back(apart, entry);
        } catch (const UserError&) { // "gemm float32" is no problem
        }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<ShippedEntry> result;
    for (std::size_t k = 0; k < std::min(most, found.size()); ++k) result.push_back(found[k].second);
    return result;
}

std::span<const ShippedWisdom> shipped_wisdom() {
    const char* const named = environment_variable("SWIRL_SHIPPED_WISDOM");
    if (named != nullptr && *named != '\0')
        return std::string_view(named) == "off" ? std::span<const ShippedWisdom>() : wisdom_of_file(named);
    static constinit LazyValue<std::vector<ShippedWisdom>> built_in;
    return built_in.get([] {
        std::vector<ShippedWisdom> all;
        for (const std::string_view text : shipped_texts()) all.emplace_back(text);
        return all;
    });
}

Integer write_shipped(std::ostream& out, std::string_view kind,
                      std::span<const std::pair<WisdomKey, WisdomEntry>> entries) {
    std::map<std::string, std::string> lines; // by problem
    for (const auto& [key, entry] : entries) {
        const bool has_conditions = key.problem.find(", ") != std::string::npos;
        if (device_kind(key.device) != kind || has_conditions || entry.version != version() ||
            entry.found_by < FoundBy::measure)
            continue;
        lines.emplace(key.problem + '\t', fmt::format("{}\t{:.4g}", entry.schedule, entry.seconds * 1e6));
    }
    out << format_line << "\ndevice " << kind << '\n';
    for (const auto& [problem, rest] : lines) out << problem << rest << '\n';
    return static_cast<Integer>(lines.size());
}

} // namespace swirl::search
