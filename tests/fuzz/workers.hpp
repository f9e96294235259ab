#pragma once

#include "fuzz/setting.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace swirl::fuzz {

struct FuzzTarget {
    const char* name;
    Case run;
    int share; ///< cases per round of all targets
};

struct Work {
    std::vector<FuzzTarget> fuzz_targets;
    std::vector<std::string> cpus; ///< slices of cases alternate between them; "gpu" alone on GPUs
    Setting setting;
    std::uint64_t seed = 0;
    double seconds = 30;
    std::uint64_t cases = 0; ///< limit, with `seconds`; 0: none
    int jobs = 1;
    double case_seconds = 120;   ///< a case that takes longer hangs
    std::int64_t only_case = -1; ///< of the only target; −1: all
    std::string options = {};    ///< for rerunning a case, besides its own
};

/// Runs cases in processes of their own, which begin anew after some cases and after a crash. Prints a line for each failure, and
/// at the end how many there were of each kind. True where there were none.
bool run(const Work& work);

} // namespace swirl::fuzz
