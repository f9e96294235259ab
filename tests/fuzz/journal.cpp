#include "fuzz/journal.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

namespace swirl::fuzz {
namespace {

template <std::size_t bytes> void copy(std::array<char, bytes>& to, std::string_view text) {
    const std::size_t length = std::min(text.size(), bytes - 1);
    std::memcpy(to.data(), text.data(), length);
    to[length] = '\0';
}

/// Line ends become spaces.
std::string in_one_line(std::string_view text) {
    std::string line(text.substr(0, 600));
    std::replace(line.begin(), line.end(), '\n', ' ');
    return line;
}

} // namespace

void Record::count(std::string_view kind) {
    for (Kind& entry : failures)
        if (entry.name[0] == '\0' || kind == entry.name.data()) {
            copy(entry.name, kind);
            ++entry.count;
            return;
        }
}

void Journal::begin(const std::string& again) {
    copy(record_.doing, "");
    copy(record_.again, again);
    record_.began = now();
}

void Journal::doing(const std::string& what) { copy(record_.doing, in_one_line(what)); }

void Journal::fail(std::string_view kind, std::string_view message) {
    record_.count(kind);
    const std::string line = line_of(kind, record_.doing.data(), message, record_.again.data());
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return; // nobody listens
}

void Journal::end() {
    record_.began = 0;
    ++record_.cases;
}

std::string line_of(std::string_view kind, std::string_view doing, std::string_view message,
                    std::string_view again) {
    return fmt::format("FAIL {}: {} | {} | again: fuzz {}\n", kind, doing, in_one_line(message), again);
}

std::int64_t now() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

} // namespace swirl::fuzz
