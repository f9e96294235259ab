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

namespace swirl::search {

constinit std::atomic<Recording> recording = Recording::unknown;

namespace {

/// Of the environment; its file is empty if there is none.
PlanLog& plan_log() {
    static constinit LazyValue<std::unique_ptr<PlanLog>> log;
    return *log.get([] {
        const char* const file = environment_variable("SWIRL_RECORD");
        return std::make_unique<PlanLog>(file != nullptr ? file : "");
    });
}

/// Whether all of it was written, by one call: so lines of other processes come before or after.
bool append(const std::string& file, std::string_view line) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    ssize_t written = 0;
    do written = ::write(descriptor, line.data(), line.size());
    while (written < 0 && errno == EINTR);
    const int error = errno;
    ::close(descriptor);
    errno = error;
    return written == static_cast<ssize_t>(line.size());
}

} // namespace

bool starts_recording() {
    const bool is_on = !plan_log().file().empty();
    recording.store(is_on ? Recording::on : Recording::off, std::memory_order_relaxed);
    return is_on;
}

std::string record_line(const Problem& problem, Device device, int threads) {
    std::string line = fmt::format("{}\tdevice={}", to_text(problem), device.text());
    if (!device.is_gpu()) line += fmt::format(" threads={}", threads);
    return line;
}

void PlanLog::add(const std::string& line) {
    std::string warning;
    {
        const std::lock_guard lock(mutex_);
        if (!lines_.insert(line).second || append(file_, line + "\n") || has_warned_) return;
        has_warned_ = true;
        warning = fmt::format("planned problems cannot be recorded in '{}': {}", file_, std::strerror(errno));
    }
    log_warning(warning);
}

void record(const Problem& problem, Device device, int threads) {
    plan_log().add(record_line(problem, device, threads));
}

} // namespace swirl::search
