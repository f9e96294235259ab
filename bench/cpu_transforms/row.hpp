#pragma once

#include "bench/support/rounds.hpp"
#include "peers/peer.hpp"
#include "search/timer/timing.hpp"

#include <swirl/plan.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace swirl::bench {

struct Options {
    swirl::Options planning;       ///< options for swirl
    bool against_measured = false; ///< adds swirl with a plan found by timing as another implementation
    std::vector<const peers::Peer*> peers;
    peers::PeerOptions peer_options;
    RoundOptions rounds;
};

/// The implementation whose plan was found by timing.
constexpr std::string_view measured_name = "swirl-measured";

/// One library's entry in a row.
struct Entry {
    std::string name; ///< "swirl" or that of the peer
    std::string made_by;
    double planning_seconds = 0;
    runtime::Measurement time = {};
    double ratio = 1;      ///< its time over swirl's, within rounds
    double difference = 0; ///< relative L2 distance of its result from swirl's
};

struct Absence {
    std::string peer, reason;
};

/// Results of one problem.
struct Row {
    Transform problem;
    double flops = 0;                ///< real operations that swirl executes
    std::vector<Entry> entries = {}; ///< swirl first
    std::vector<Absence> absences = {};
};

/// Plans, compares the results, and times. An implementation whose result differs from swirl's counts as absent.
Row measure(const Transform& problem, const Options& options);

/// Pseudo-Gflop/s: 5 n log₂ n operations for each complex transform, half of that for real ones.
double gigaflops(const Transform& problem, double seconds);

/// The entry of a name, or null.
const Entry* entry_of(const Row& row, std::string_view name);

} // namespace swirl::bench
