#pragma once

#include "peers/matrix_peer.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What is measured, and what is asked for.
namespace swirl::bench {

/// How many times as fast as others swirl shall be, the fastest of whom counts for each call. 0: nothing is asked for.
struct Requirement {
    std::string_view opponent; ///< for people
    std::vector<std::string_view> peers;
    double geometric_mean = 0;
    double each = 0;
};

/// Calls of which the same is asked.
struct Part {
    std::string name;
    std::vector<peers::MatrixCall> calls;
    std::vector<Requirement> requirements = {};
    double of_peak = 0;     ///< that swirl shall reach of the multiply-adds measured beside
    double of_own_gemm = 0; ///< of the rate of swirl's product of as large matrices
};

struct Group {
    std::string_view name;
    std::string_view what;
    std::string_view cpu = {};              ///< that swirl generates for; empty: the best the machine has
    std::vector<std::string_view> peers;    ///< that take part
    bool through_blas = false;              ///< swirl is called as a BLAS
    bool cold = false;                      ///< each execution finds its operands in memory, not in a cache
    Accuracy accuracy = Accuracy::ordinary; ///< that swirl is asked for
    std::vector<Part> parts;
};

const std::vector<Group>& groups();

/// The groups of a list such as "square,small". Throws UserError naming the option.
std::vector<const Group*> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
