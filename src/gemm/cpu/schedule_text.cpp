// Schedules as text.

#include "base/error.hpp"
#include "gemm/cpu/schedule.hpp"

#include <fmt/format.h>

#include <charconv>
#include <vector>

namespace swirl::gemm {

namespace {

/// Beyond these limits a schedule is rejected; kernels would take long to generate.
constexpr Integer most_tile = 64, most_unroll = 64, most_block = 1 << 24;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        if (end > 0) parts.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

class Reader {
public:
    Reader(std::string_view text, int lanes) : text_(text) { schedule_.tile.lanes = lanes; }

    Schedule read() {
        schedule_.prefetch_c = schedule_.prefetch_next = false;
        std::vector<std::string_view> names;
        for (const std::string_view word : split(text_, ' ')) {
            const std::size_t equals = word.find('=');
            if (equals == std::string_view::npos) fail();
            names.push_back(word.substr(0, equals));
            set(names.back(), word.substr(equals + 1));
        }
        if (names != std::vector<std::string_view>{"tile", "unroll", "blocks", "innermost", "prefetch"})
            fail();
        return schedule_;
    }

private:
    [[noreturn]] void fail() const {
        throw UserError("'{}' is no schedule; one looks like '{}'", text_, to_string(Schedule{}));
    }
    Integer number(std::string_view digits, Integer most) const {
        Integer value = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error != std::errc() || end != digits.data() + digits.size() || value < 1 || value > most) fail();
        return value;
    }
    std::vector<Integer> numbers(std::string_view value, std::size_t count, Integer most) const {
        std::vector<Integer> result;
        for (const std::string_view digits : split(value, 'x')) result.push_back(number(digits, most));
        if (result.size() != count) fail();
        return result;
    }

    void set(std::string_view name, std::string_view value) {
        if (name == "tile") {
            const auto extents = numbers(value, 2, most_tile);
            schedule_.tile.vectors = static_cast<int>(extents[0]);
            schedule_.tile.columns = static_cast<int>(extents[1]);
        } else if (name == "unroll") {
            schedule_.unroll = static_cast<int>(number(value, most_unroll));
        } else if (name == "blocks") {
            const auto extents = numbers(value, 3, most_block);
            schedule_.mc = extents[0];
            schedule_.kc = extents[1];
            schedule_.nc = extents[2];
        } else if (name == "innermost") {
            if (value != "rows" && value != "columns") fail();
            schedule_.rows_innermost = value == "rows";
        } else if (name == "prefetch") {
            set_prefetches(value);
        } else {
            fail();
        }
    }
    void set_prefetches(std::string_view value) {
        if (value == "none") return;
        for (const std::string_view what : split(value, ',')) {
            if (what == "c")
                schedule_.prefetch_c = true;
            else if (what == "next")
                schedule_.prefetch_next = true;
            else if (what.starts_with('a'))
                schedule_.prefetch_a = static_cast<int>(number(what.substr(1), most_block));
            else
                fail();
        }
    }

    std::string_view text_;
    Schedule schedule_;
};

} // namespace

std::string to_string(const Schedule& schedule) {
    std::string prefetches;
    const auto add = [&](const std::string& what) { prefetches += (prefetches.empty() ? "" : ",") + what; };
    if (schedule.prefetch_c) add("c");
    if (schedule.prefetch_next) add("next");
    if (schedule.prefetch_a > 0) add(fmt::format("a{}", schedule.prefetch_a));
    return fmt::format("tile={}x{} unroll={} blocks={}x{}x{} innermost={} prefetch={}", schedule.tile.vectors,
                       schedule.tile.columns, schedule.unroll, schedule.mc, schedule.kc, schedule.nc,
                       schedule.rows_innermost ? "rows" : "columns",
                       prefetches.empty() ? "none" : prefetches);
}

Schedule parse_schedule(std::string_view text, int lanes) { return Reader(text, lanes).read(); }

} // namespace swirl::gemm
