#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// How swirl measures time: the method of Püschel, Franchetti and Chellappa, "How To Write Fast Numerical Code",
/// section 3.3, with remedies for the problems they list.
namespace swirl::runtime {

/// Seconds of a monotonic clock; only differences are meaningful.
double monotonic_seconds();

/// CPU seconds of the calling thread: time that other processes take of its processor does not count. Falls back to
/// monotonic_seconds.
double thread_seconds();

/// What a timing counts: all time that passes, or the time that the calling thread runs on a processor.
enum class Clock : std::uint8_t { wall, thread };
double seconds(Clock clock);

/// Cost of one pair of clock readings, in seconds; measured once.
double clock_overhead(Clock clock = Clock::wall);

/// A distribution of times in seconds.
struct Measurement {
    double median = 0;
    double minimum = 0;
    double spread = 0;       ///< interquartile range as a fraction of the median
    Integer repetitions = 0; ///< total executions timed
    int samples = 0;
};

/// Median, minimum and quartiles of times (seconds per execution); leaves `repetitions` 0.
Measurement summarize(std::span<const double> times);

/// Half the width of the 95% confidence interval of the median, as a fraction of it: 1.57·spread/√samples (McGill,
/// Tukey and Larsen 1978, "Variations of box plots").
double uncertainty(const Measurement& measurement);

struct TimingOptions {
    double warm_up = 2e-3;         ///< seconds of untimed work first: caches, page tables, clock frequency
    double shortest_sample = 1e-4; ///< seconds; a sample repeats the work to reach this length
    int min_samples = 5;
    int max_samples = 1000;
    double precision = 0.01; ///< stop when the uncertainty of the median is this small …
    double budget = 0.2;     ///< … or when this many seconds are spent
    Clock clock = Clock::wall;
};

/// Work to be timed, with the untimed work it requires.
struct TimedWork {
    std::function<void()> run;
    /// Undoes the effect of `run` on its data; called outside the timed regions. May be empty.
    std::function<void()> restore;
    /// Executions after which `restore` must be called; 0: never.
    Integer restore_every = 0;
};

/// Times one work item.
Measurement measure(const TimedWork& work, const TimingOptions& options = {});

/// One sample: mean seconds per execution over `repetitions`, without the clock overhead.
double time_once(const TimedWork& work, Integer repetitions, Clock clock = Clock::wall);

/// Repetitions for a sample of `work` of at least `shortest_sample`; also performs the warm-up.
Integer warm_up(const TimedWork& work, const TimingOptions& options);

/// A transform applied repeatedly to its own result grows by `growth` each time. Returns the number of executions for
/// which data of magnitude about 1 stays far from overflow; `largest_exponent` is that of the data type, base 2 (127 or
/// 1023). At least 1; 0 ("never") when nothing grows.
Integer applications_before_overflow(double growth, int largest_exponent);

/// While alive, flushes denormals to zero in this thread's arithmetic (FTZ and DAZ on x86-64, FZ on AArch64): denormal
/// data is up to 70 times slower and would distort the timing of the transform. Never used for users' results.
class FlushDenormals {
public:
    FlushDenormals();
    ~FlushDenormals();
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

    /// Whether this machine supports it.
    static bool is_supported();

private:
    std::uint64_t before_ = 0;
};

} // namespace swirl::runtime
