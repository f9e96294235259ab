#include "cli/progress.hpp"

#include "runtime/timer.hpp"

#include <fmt/format.h>

#include <sys/ioctl.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>

namespace swirl::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0; // a handler of signals sees nothing else

void note_interrupt(int) {
    if (interrupts != 0) {
        std::signal(SIGINT, SIG_DFL);
        std::raise(SIGINT);
    }
    interrupts = 1;
}

constexpr double silent_seconds = 0.5, seconds_between = 0.1;
constexpr std::size_t bar_length = 20;
constexpr double least_fraction = 0.02; ///< of the work; after less, its speed is not known

std::size_t columns_of_terminal() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

std::string time_left(double seconds) {
    if (!std::isfinite(seconds)) return "";
    if (seconds < 120) return fmt::format(", {:.0f} s left", std::max(seconds, 0.0));
    if (seconds < 7200) return fmt::format(", {:.0f} min left", seconds / 60);
    return fmt::format(", {:.0f} h left", seconds / 3600);
}

} // namespace

Interruptible::Interruptible() : before_(std::signal(SIGINT, note_interrupt)) {}

Interruptible::~Interruptible() { std::signal(SIGINT, before_); }

bool is_interrupted() { return interrupts != 0; }

Progress::Progress(bool is_wanted)
    : is_wanted_(is_wanted && isatty(STDERR_FILENO) == 1),
      begin_(runtime::monotonic_seconds()),
      shown_(begin_ + silent_seconds - seconds_between) {}

void Progress::show(double fraction, const std::string& what, double seconds_left) {
    if (!is_wanted_) return;
    const double now = runtime::monotonic_seconds();
    if (now - shown_ < seconds_between) return;
    shown_ = now;
    is_visible_ = true;
    std::string bar;
    if (std::isfinite(fraction)) {
        const auto done = static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * bar_length));
        bar = "[" + std::string(done, '#') + std::string(bar_length - done, '.') + "] ";
    }
    const std::string left = time_left(seconds_left);
    const std::size_t columns = columns_of_terminal(), taken = bar.size() + left.size() + 1;
    const std::string text = columns > taken ? what.substr(0, columns - taken) : "";
    std::fprintf(stderr, "\r\033[K%s%s%s", bar.c_str(), text.c_str(), left.c_str());
    std::fflush(stderr);
}

void Progress::show_at_speed(double fraction, const std::string& what, double limit) {
    constexpr double unknown = std::numeric_limits<double>::infinity();
    const double passed = seconds();
    const double left = fraction > least_fraction ? passed / fraction * (1 - fraction) : unknown;
    show(fraction, what, std::min(left, limit - passed));
}

double Progress::seconds() const { return runtime::monotonic_seconds() - begin_; }

void Progress::clear() {
    if (is_visible_) std::fprintf(stderr, "\r\033[K");
    is_visible_ = false;
}

ListProgress::ListProgress(std::string kind, std::size_t count, bool is_wanted, double limit)
    : progress_(is_wanted), kind_(std::move(kind)), count_(count), limit_(limit) {}

bool ListProgress::begin(const std::string& problem) {
    if (is_interrupted()) return false;
    problem_ = problem;
    ++begun_;
    within(0);
    return true;
}

void ListProgress::within(double fraction) {
    const std::string counted = count_ > 1 ? fmt::format(" ({} of {})", begun_, count_) : "";
    progress_.show_at_speed(
        (static_cast<double>(begun_ - 1) + std::min(fraction, 1.0)) / static_cast<double>(count_),
        fmt::format("{} {}{}", kind_, problem_, counted), limit_);
}

std::function<bool()> ListProgress::enough_after(double seconds) {
    return [this, seconds, begin = runtime::monotonic_seconds()] {
        within((runtime::monotonic_seconds() - begin) / seconds);
        return is_interrupted();
    };
}

std::function<void(double)> probe_progress() {
    // What was found before Ctrl-C may need the machine's rates, so these are still measured.
    return [shown = std::make_shared<Progress>(), signals = std::make_shared<Interruptible>(),
            was_interrupted = is_interrupted()](double fraction) {
        shown->show_at_speed(fraction, "measuring this machine", std::numeric_limits<double>::infinity());
        if (is_interrupted() && !was_interrupted) throw Interrupted{};
    };
}

SearchProgress::SearchProgress(bool is_wanted) : progress_(is_wanted), begin_(runtime::monotonic_seconds()) {}

void SearchProgress::operator()(const std::string& line) {
    const auto between = [&](const std::string& from, const std::string& to) -> std::string {
        const std::size_t at = line.rfind(from);
        if (at == std::string::npos) return "";
        const std::size_t first = at + from.size();
        return line.substr(first, line.find(to, first) - first);
    };
    const std::string best = between("; best ", ";"), left = between("; ", " s left");
    const std::string problem = line.substr(0, std::min(line.find(": "), line.find(", subproblem ")));
    char* end = nullptr;
    const double seconds = std::strtod(left.c_str(), &end);
    const bool is_known = end != left.c_str();
    const double passed = runtime::monotonic_seconds() - begin_;
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    progress_.show(is_known ? passed / (passed + seconds) : unknown,
                   "measuring " + problem + (best.empty() ? "" : ", best " + best),
                   is_known ? seconds : unknown);
}

} // namespace swirl::cli
