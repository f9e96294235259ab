#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Benchmark groups and their requirements.
namespace swirl::bench {

/// Required speedup of swirl over a peer. 0: no requirement.
struct Requirement {
    double geometric_mean = 0;
    double each = 0;
};

/// Several peers, the fastest of which counts for each problem.
struct Opponent {
    std::string_view name;
    std::vector<std::string_view> peers;
};

/// The system's FFTW, the best open-source libraries with AVX-512, and MKL.
const std::vector<Opponent>& opponents();

/// Problems with the same requirements.
struct Part {
    std::string name;
    std::vector<std::string> problems;     ///< without their precision
    std::vector<Requirement> requirements; ///< in the order of opponents()
};

struct Group {
    std::string_view name;
    std::string_view what;
    std::string_view cpu; ///< target of swirl's code; empty: the best of this machine
    std::vector<Part> parts;
};

const std::vector<Group>& groups();

/// The groups of a list such as "powers,real". Throws UserError naming the option.
std::vector<const Group*> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
