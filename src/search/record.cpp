#include "search/record.hpp"

#include "base/environment.hpp"
#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace swirl::search {

constinit std::atomic<Recording> recording = Recording::unknown;

namespace {

using PlanLogs = std::vector<std::unique_ptr<PlanLog>>;

/// Those that the environment asks for.
PlanLogs& plan_logs() {
    static constinit LazyValue<std::unique_ptr<PlanLogs>> logs;
    return *logs.get([] {
        auto wanted = std::make_unique<PlanLogs>();
        const char* const file = environment_variable("SWIRL_RECORD");
        if (file != nullptr && *file != '\0') wanted->push_back(std::make_unique<PlanLog>(file));
        const char* const verbose = environment_variable("SWIRL_VERBOSE");
        if (verbose != nullptr && *verbose != '\0' && std::string_view(verbose) != "0")
            wanted->push_back(std::make_unique<PlanLog>());
        return wanted;
    });
}

/// Whether all of it was written, by one call: so lines of other processes come before or after.
bool append(int descriptor, std::string_view line) {
    ssize_t written = 0;
    do written = ::write(descriptor, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    return written == static_cast<ssize_t>(line.size());
}

bool append(const std::string& file, std::string_view line) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    const bool is_written = append(descriptor, line);
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return is_written;
}

} // namespace

bool starts_recording() {
    const bool is_on = !plan_logs().empty();
    recording.store(is_on ? Recording::on : Recording::off, std::memory_order_relaxed);
    return is_on;
}

std::string record_line(const Problem& problem, Device device, int threads) {
    std::string line = fmt::format("{}\tdevice={}", to_text(problem), device.text());
    if (!device.is_gpu()) line += fmt::format(" threads={}", threads);
    return line;
}

bool PlanLog::write(const std::string& line) const {
    if (file_.empty()) return append(STDERR_FILENO, fmt::format("{}{}\n", planned_mark, line));
    return append(file_, line + "\n");
}

void PlanLog::add(const std::string& line) {
    std::string warning;
    {
        const std::lock_guard lock(mutex_);
        if (!lines_.insert(line).second || write(line) || has_warned_) return;
        has_warned_ = true;
        warning = fmt::format("planned problems cannot be recorded in '{}': {}", file_, std::strerror(errno));
    }
    log_warning(warning);
}

void record(const Problem& problem, Device device, int threads) {
    const std::string line = record_line(problem, device, threads);
    for (const auto& log : plan_logs()) log->add(line);
}

} // namespace swirl::search
