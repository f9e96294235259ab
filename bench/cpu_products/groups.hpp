#pragma once

#include <swirl/options.hpp>

#include "peers/matrix_peer.hpp"

#include <string>
#include <string_view>
#include <vector>

/// Benchmark groups and their requirements.
namespace swirl::bench {

/// Required speedup of swirl over the fastest of several peers, per call. 0: no requirement.
struct Requirement {
    std::string_view opponent; ///< for display
    std::vector<std::string_view> peers;
    double geometric_mean = 0;
    double each = 0;
};

/// Calls with the same requirements.
struct Part {
    std::string name;
    std::vector<peers::MatrixCall> calls;
    std::vector<Requirement> requirements = {};
    double of_peak = 0;     ///< required fraction of the multiply-add peak measured in the same run
    double of_own_gemm = 0; ///< required fraction of the rate of swirl's GEMM on matrices of the same size
};

struct Group {
    std::string_view name;
    std::string_view what;
    std::string_view cpu = {};              ///< target of swirl's code; empty: the best of this machine
    std::vector<std::string_view> peers;    ///< that take part
    bool through_blas = false;              ///< swirl is called through its BLAS interface
    bool cold = false;                      ///< each execution finds its operands in memory, not in a cache
    Accuracy accuracy = Accuracy::ordinary; ///< requested of swirl
    std::vector<Part> parts;
};

const std::vector<Group>& groups();

/// The groups of a list such as "square,small". Throws UserError naming the option.
std::vector<const Group*> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
