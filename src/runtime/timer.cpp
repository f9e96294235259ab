#include "runtime/timer.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace swirl::runtime {
namespace {

/// Quantile `fraction` of sorted times, interpolated.
double quantile(std::span<const double> sorted, double fraction) {
    const double position = fraction * static_cast<double>(sorted.size() - 1);
    const std::size_t below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double weight = position - static_cast<double>(below);
    return sorted[below] * (1 - weight) + sorted[above] * weight;
}

double measured_clock_overhead(Clock clock) {
    double least = 1;
    for (int i = 0; i < 200; ++i) {
        const double start = seconds(clock);
        const double end = seconds(clock);
        least = std::min(least, end - start);
    }
    return least;
}

} // namespace

double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double thread_seconds() {
#if defined(CLOCK_THREAD_CPUTIME_ID)
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
    return monotonic_seconds();
}

double seconds(Clock clock) { return clock == Clock::wall ? monotonic_seconds() : thread_seconds(); }

double clock_overhead(Clock clock) {
    static constinit LazyValue<const std::array<double, 2>> overheads; // by clock
    const auto measured = [] {
        return std::array{measured_clock_overhead(Clock::wall), measured_clock_overhead(Clock::thread)};
    };
    return overheads.get(measured)[static_cast<std::size_t>(clock)];
}

Measurement summarize(std::span<const double> times) {
    ensure(!times.empty(), "no times to summarize");
    std::vector<double> sorted(times.begin(), times.end());
    std::sort(sorted.begin(), sorted.end());
    Measurement result;
    result.minimum = sorted.front();
    result.median = quantile(sorted, 0.5);
    const double distance = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    result.spread = result.median > 0 ? distance / result.median : 0;
    result.samples = static_cast<int>(sorted.size());
    return result;
}

double uncertainty(const Measurement& measurement) {
    return measurement.samples == 0 ? 1 : 1.57 * measurement.spread / std::sqrt(measurement.samples);
}

double time_once(const TimedWork& work, Integer repetitions, Clock clock) {
    const ForkSection::Outside outside; // executions need no section, and large ones take long
    const Integer stretch = work.restore_every > 0 ? work.restore_every : repetitions;
    double total = 0;
    for (Integer done = 0; done < repetitions;) {
        const Integer count = std::min(stretch, repetitions - done);
        const double start = seconds(clock);
        for (Integer i = 0; i < count; ++i) work.run();
        total += std::max(seconds(clock) - start - clock_overhead(clock), 0.0);
        done += count;
        if (work.restore_every > 0 && work.restore) work.restore();
    }
    return total / static_cast<double>(repetitions);
}

Integer warm_up(const TimedWork& work, const TimingOptions& options) {
    // Lengthens the sample until it suffices; at least two rounds, since the first has cold caches.
    const double start = seconds(options.clock);
    Integer repetitions = 1;
    time_once(work, 1, options.clock);
    for (;;) {
        const double each = time_once(work, repetitions, options.clock);
        const double passed = seconds(options.clock) - start;
        // Work shorter than the clock overhead that must be restored each time would never fill a sample.
        if (passed >= std::max(options.budget, options.warm_up)) return repetitions;
        if (each * static_cast<double>(repetitions) >= options.shortest_sample) {
            if (passed >= options.warm_up) return repetitions;
            continue;
        }
        const double wanted = each > 0 ? std::ceil(options.shortest_sample / each) : 1e9;
        const double present = static_cast<double>(repetitions);
        repetitions = static_cast<Integer>(std::clamp(wanted, present + 1, 8 * present));
    }
}

Measurement measure(const TimedWork& work, const TimingOptions& options) {
    const double start = seconds(options.clock);
    const Integer repetitions = warm_up(work, options);
    std::vector<double> times;
    Measurement result;
    for (int sample = 1; sample <= options.max_samples; ++sample) {
        times.push_back(time_once(work, repetitions, options.clock));
        if (sample < options.min_samples) continue;
        const bool is_due =
            (sample & (sample - 1)) == 0 || sample % 16 == 0; // sorting each time would cost n²
        const bool is_late = seconds(options.clock) - start > options.budget;
        if (is_late || (is_due && uncertainty(summarize(times)) <= options.precision)) break;
    }
    result = summarize(times);
    result.repetitions = repetitions * static_cast<Integer>(times.size());
    return result;
}

Integer applications_before_overflow(double growth, int largest_exponent) {
    if (!(growth > 1)) return 0;
    // Keeps a third of the range for sums inside the transform and for data that is not of magnitude 1.
    const double exponents = 2.0 / 3.0 * largest_exponent;
    return std::max<Integer>(1, static_cast<Integer>(exponents / std::log2(growth)));
}

#if defined(__x86_64__)

namespace {
constexpr unsigned flush_to_zero = 1U << 15;
constexpr unsigned denormals_are_zero = 1U << 6;
} // namespace

FlushDenormals::FlushDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(static_cast<unsigned>(before_) | flush_to_zero | denormals_are_zero);
}
FlushDenormals::~FlushDenormals() { _mm_setcsr(static_cast<unsigned>(before_)); }
bool FlushDenormals::is_supported() { return true; }

#elif defined(__aarch64__)

FlushDenormals::FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    constexpr std::uint64_t flush = 1ULL << 24;
    asm volatile("msr fpcr, %0" : : "r"(before_ | flush));
}
FlushDenormals::~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }
bool FlushDenormals::is_supported() { return true; }

#else

FlushDenormals::FlushDenormals() = default;
FlushDenormals::~FlushDenormals() = default;
bool FlushDenormals::is_supported() { return false; }

#endif

} // namespace swirl::runtime
