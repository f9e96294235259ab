#pragma once

#include "plan/plan.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Other libraries, to be measured and compared with in the same run.
namespace swirl::cli {

/// A transform planned by somebody else, on given data.
struct PeerPlan {
    std::function<void()> run; ///< empty where there is none
    std::string absent_because;
};

/// A library, and how it is to plan.
struct Peer {
    std::string_view name; ///< "FFTW estimate"
    /// May write over the data.
    PeerPlan (*plan)(const Problem& problem, const planning::Arguments& arguments);
};

/// FFTW, found at run time: planned without timing, with, and with a lot of timing (at most a few seconds).
extern const Peer fftw_estimate, fftw_measure, fftw_patient;

/// pocketfft, where its header was there when swirl was built.
extern const Peer pocketfft;

} // namespace swirl::cli
