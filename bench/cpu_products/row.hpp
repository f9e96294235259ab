#pragma once

#include "bench/cpu_products/groups.hpp"
#include "bench/support/rounds.hpp"
#include "runtime/timer.hpp"
#include "search/probe_kernels.hpp"

#include <string>
#include <vector>

namespace swirl::bench {

struct Options {
    std::vector<const peers::MatrixPeer*> peers;
    int threads = 1;
    RoundOptions rounds;
};

/// One contender's part of a row.
struct Entry {
    std::string name; ///< "swirl", that of the peer, or one of those below
    std::string made_by;
    double flops = 0;               ///< of an execution
    runtime::Measurement time = {}; ///< of an execution
    double ratio = 1;               ///< how many times as fast as it the first contender is, within rounds
    double error = 0;               ///< Operands::error

    double gigaflops(double seconds) const { return flops / seconds * 1e-9; }
};

/// Beside swirl and the peers run: multiply-adds in registers, on all threads and on one; swirl on one thread; and beside
/// other routines swirl's product of matrices as large.
constexpr std::string_view peak_name = "peak", peak_on_one_name = "peak-one-thread",
                           on_one_name = "swirl-one-thread", gemm_name = "swirl-gemm";

struct Absence {
    std::string peer, reason;
};

/// What was measured of one call.
struct Row {
    peers::MatrixCall call;
    std::vector<Entry> entries = {}; ///< swirl first, where it took part
    std::vector<Absence> absences = {};

    bool has_swirl() const { return !entries.empty() && entries.front().name == "swirl"; }
};

/// Checks the results, and times. A contender with a wrong result counts as absent.
Row measure(const peers::MatrixCall& call, const Group& group, const search::ProbeKernels& kernels,
            const Options& options);

/// The entry of a name, or null.
const Entry* entry_of(const Row& row, std::string_view name);

/// How many times as fast as the fastest of these swirl is, and which that is; empty without swirl or any of them.
struct Comparison {
    double ratio = 0;
    std::string_view peer = {};
};
Comparison against_best(const Row& row, const std::vector<std::string_view>& names);

} // namespace swirl::bench
