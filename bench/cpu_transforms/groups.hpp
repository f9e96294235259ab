#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What is measured, and what is asked for.
namespace swirl::bench {

/// How many times as fast as a peer swirl shall be. 0: nothing is asked for.
struct Requirement {
    double geometric_mean = 0;
    double each = 0;
};

/// Several peers, the fastest of which counts for each problem.
struct Opponent {
    std::string_view name;
    std::vector<std::string_view> peers;
};

/// FFTW of the system, the best of those with AVX-512 in the open, and MKL.
const std::vector<Opponent>& opponents();

/// Problems of which the same is asked.
struct Part {
    std::string name;
    std::vector<std::string> problems;     ///< without their precision
    std::vector<Requirement> requirements; ///< in the order of opponents()
};

struct Group {
    std::string_view name;
    std::string_view what;
    std::string_view cpu; ///< that swirl generates for; empty: the best the machine has
    std::vector<Part> parts;
};

const std::vector<Group>& groups();

/// The groups of a list such as "powers,real". Throws UserError naming the option.
std::vector<const Group*> parse_groups(const std::string& option, const std::string& list);

} // namespace swirl::bench
