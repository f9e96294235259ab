#pragma once

#include "plan/transform/cpu/plan.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Other libraries, to be measured and compared with in the same run. swirl needs none of them: they are found at run
/// time, or left out with a reason.
namespace swirl::peers {

/// How a peer is to plan, where it plans at all.
struct PeerOptions {
    double seconds = 5; ///< for one planning; after that the library makes do with what it has tried
    int threads = 1;
    std::filesystem::path found_plans =
        {}; ///< folder where plans are remembered between runs; empty: nowhere
};

/// A transform planned by somebody else, on given data.
struct PeerPlan {
    std::function<void()> run; ///< empty where there is none
    std::string absent_because;
    std::string made_by = {}; ///< library, version, way of planning
};

/// A library, and how it is to plan.
struct Peer {
    std::string_view name;  ///< in options: "fftw-estimate"
    std::string_view title; ///< for people: "FFTW estimate"
    /// May write over the data.
    PeerPlan (*plan)(const Transform& problem, const planning::Arguments& arguments,
                     const PeerOptions& options);
};

/// FFTW of the system: planned without timing, with, with a lot of timing; and as its users would where speed matters,
/// patiently up to 2^16 points and with timing beyond.
extern const Peer fftw_estimate, fftw_measure, fftw_patient, fftw;
/// Another build of FFTW, made with AVX-512, planned like the last one.
extern const Peer fftw_avx512;
/// AMD's version of FFTW, planned alike.
extern const Peer aocl_fftw;
/// Intel's oneMKL.
extern const Peer mkl;
/// KFR, through its C interface.
extern const Peer kfr;
/// pocketfft, where its header was there when swirl was built.
extern const Peer pocketfft;
/// DUCC0, pocketfft's successor: a library of its own, opened at run time if it was built.
extern const Peer ducc0;

/// All of them.
std::span<const Peer* const> all_peers();

/// The peers of a list such as "fftw,mkl", or none for "none". Throws UserError naming the option.
std::vector<const Peer*> parse_peers(const std::string& option, const std::string& list);

/// Where libraries are that the system does not have: $SWIRL_PEERS, else $XDG_CACHE_HOME/swirl-peers, else
/// ~/.cache/swirl-peers. scripts/peers fills it: fftw/lib, aocl-fftw/lib, mkl/lib, kfr/lib, pocketfft,
/// ducc0.
std::filesystem::path peers_folder();

} // namespace swirl::peers
