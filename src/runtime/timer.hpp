#pragma once

#include "base/integer.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

/// How swirl measures time: the method of Püschel, Franchetti and Chellappa, "How To Write Fast Numerical Code",
/// section 3.3, and remedies for the problems they list.
namespace swirl::runtime {

/// Seconds of a monotonic clock; only differences mean anything.
double monotonic_seconds();

/// Seconds that the calling thread has run: what other processes take of its processor does not count. Where the system
/// does not say, monotonic_seconds.
double thread_seconds();

/// What one pair of clock readings costs, in seconds; measured once.
double clock_overhead();

/// A distribution of times in seconds.
struct Measurement {
    double median = 0;
    double minimum = 0;
    double spread = 0;       ///< distance of the quartiles as a fraction of the median
    Integer repetitions = 0; ///< applications timed in all
    int samples = 0;
};

/// Median, minimum and quartiles of times (seconds an application); `repetitions` is left 0.
Measurement summarize(std::span<const double> times);

/// Half the width of the 95% confidence interval of the median, as a fraction of it: 1.57·spread/√samples
/// (McGill, Tukey and Larsen 1978, "Variations of box plots").
double uncertainty(const Measurement& measurement);

struct TimingOptions {
    double warm_up = 2e-3;         ///< seconds of untimed work first: caches, page tables, clock frequency
    double shortest_sample = 1e-4; ///< seconds; a sample repeats the work until it lasts this long
    int least_samples = 5;
    int most_samples = 1000;
    double precision = 0.01; ///< stop when the median is known this well …
    double budget = 0.2;     ///< … or when this many seconds are used up
};

/// Work to be timed, and what has to be done beside it.
struct TimedWork {
    std::function<void()> run;
    /// Undoes what `run` did to its data; called outside the timed parts. May be empty.
    std::function<void()> restore;
    /// Applications after which `restore` must be called; 0: never needed.
    Integer restore_every = 0;
};

/// Times one piece of work.
Measurement measure(const TimedWork& work, const TimingOptions& options = {});

/// One sample: seconds an application, mean over `repetitions`, without the clock's own cost.
double time_once(const TimedWork& work, Integer repetitions);

/// Repetitions with which a sample of `work` lasts at least `shortest_sample`; runs the warm-up on the way.
Integer warm_up(const TimedWork& work, const TimingOptions& options);

/// A transform applied again and again to its own result grows by `growth` each time. The number of applications
/// for which data of magnitude about 1 stays far from overflow; `largest_exponent` is that of the type, base 2
/// (127 or 1023). At least 1; 0 ("never needed") when nothing grows.
Integer applications_before_overflow(double growth, int largest_exponent);

/// While alive, this thread's arithmetic takes denormal numbers as zero (FTZ and DAZ on x86-64, FZ on AArch64):
/// denormal data is up to 70 times slower and would be timed instead of the transform. Never for users' results.
class FlushDenormals {
public:
    FlushDenormals();
    ~FlushDenormals();
    FlushDenormals(const FlushDenormals&) = delete;
    FlushDenormals& operator=(const FlushDenormals&) = delete;

    /// Whether this machine can.
    static bool is_supported();

private:
    std::uint64_t before_ = 0;
};

} // namespace swirl::runtime
