#pragma once

#include "bench/cpu_products/groups.hpp"
#include "bench/support/rounds.hpp"
#include "runtime/timer.hpp"
#include "search/cost/probe_kernels.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

struct Options {
    std::vector<const peers::MatrixPeer*> peers;
    int threads = 1;
    RoundOptions rounds;
};

/// One implementation's entry in a row.
struct Entry {
    std::string name; ///< "swirl", that of the peer, or one of those below
    std::string made_by;
    double flops = 0;               ///< per execution
    runtime::Measurement time = {}; ///< per execution
    double ratio = 1;               ///< speedup of the first implementation over this one, within rounds
    double error = 0;               ///< Operands::error

    double gigaflops(double seconds) const { return flops / seconds * 1e-9; }
};

/// Run in addition to swirl and the peers: multiply-adds in registers, on all threads and on one; swirl on one thread;
/// and for other routines swirl's GEMM on matrices of the same size.
constexpr std::string_view peak_name = "peak", peak_on_one_name = "peak-one-thread",
                           on_one_name = "swirl-one-thread", gemm_name = "swirl-gemm";

struct Absence {
    std::string peer, reason;
};

/// Results of one call.
struct Row {
    peers::MatrixCall call;
    std::vector<Entry> entries = {}; ///< swirl first, if present
    std::vector<Absence> absences = {};

    bool has_swirl() const { return !entries.empty() && entries.front().name == "swirl"; }
};

/// Checks the results, and times. An implementation with a wrong result counts as absent.
Row measure(const peers::MatrixCall& call, const Group& group, const search::ProbeKernels& kernels,
            const Options& options);

/// The entry of a name, or null.
const Entry* entry_of(const Row& row, std::string_view name);

/// Speedup of swirl over the fastest of these, and which that is; empty without swirl or any of them.
struct Comparison {
    double ratio = 0;
    std::string_view peer = {};
};
Comparison against_best(const Row& row, const std::vector<std::string_view>& names);

} // namespace swirl::bench
