#pragma once

#include <swirl/options.hpp>

#include <optional>

namespace swirl::fftw {

/// Planner flags that change something here, with FFTW's values. Of the others: inputs are preserved out of place, and no
/// alignment is assumed.
namespace flags {
constexpr unsigned exhaustive = 1U << 3;
constexpr unsigned patient = 1U << 5;
constexpr unsigned estimate = 1U << 6;
constexpr unsigned wisdom_only = 1U << 21;
} // namespace flags

inline Effort effort_of(unsigned asked) {
    if ((asked & flags::estimate) != 0) return Effort::estimate;
    return (asked & flags::exhaustive) != 0 ? Effort::exhaustive : Effort::measure;
}

/// Time limit of one plan, in seconds. FFTW_PATIENT has that of Effort::measure.
inline std::optional<double> usual_budget(unsigned asked) {
    constexpr double measuring_seconds = 0.2, exhaustive_seconds = 30;
    if ((asked & flags::estimate) != 0) return std::nullopt;
    if ((asked & flags::exhaustive) != 0) return exhaustive_seconds;
    if ((asked & flags::patient) != 0) return std::nullopt;
    return measuring_seconds;
}

} // namespace swirl::fftw
