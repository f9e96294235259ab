#pragma once

#include <swirl/device.hpp>
#include <swirl/problem.hpp>

#include "base/fork_gate.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

/// A log of the problems that programs plan, for `swirl tune --problems`: in the file that $SWIRL_RECORD names, and with
/// SWIRL_VERBOSE=1 on standard error.
namespace swirl::search {

enum class Recording : std::uint8_t { unknown, off, on };
/// Decided by the environment when a problem is first planned.
extern std::atomic<Recording> recording;
/// Reads the environment.
bool starts_recording();

inline bool is_recording() {
    const Recording known = recording.load(std::memory_order_relaxed);
    return known != Recording::off && (known == Recording::on || starts_recording());
}

/// The line of a log: the problem, a tab, and the settings on which its schedule depends, "device=gpu:1 threads=2".
std::string record_line(const Problem& problem, Device device, int threads);

/// Begins each line on standard error; `swirl tune --problems` finds the lines of a log by it.
constexpr std::string_view planned_mark = "swirl: plans ";

/// A file, or standard error, to which lines are appended, each once in this process and its forked children. Lines of any number of threads and
/// processes do not mix: each is one write to the end of the file. A file that cannot be written is one warning.
class PlanLog {
public:
    /// Empty: standard error, where each line begins with planned_mark.
    explicit PlanLog(std::string file = "") : file_(std::move(file)) {}
    const std::string& file() const { return file_; }
    void add(const std::string& line);

private:
    bool write(const std::string& line) const;

    std::string file_;
    ForkSafeMutex mutex_;
    std::unordered_set<std::string> lines_;
    bool has_warned_ = false;
};

/// To the logs that the environment names, when is_recording().
void record(const Problem& problem, Device device, int threads);

} // namespace swirl::search
