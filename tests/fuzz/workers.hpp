#pragma once

#include "fuzz/setting.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace swirl::fuzz {

struct Part {
    const char* name;
    Case run;
    int share; ///< cases of each round, of all parts together
};

struct Work {
    std::vector<Part> parts;
    std::vector<std::string> cpus; ///< slices of cases take them in turns; "gpu" alone on GPUs
    Setting setting;
    std::uint64_t seed = 0;
    double seconds = 30;
    std::uint64_t cases = 0; ///< that end the run, with `seconds`; 0: any number
    int jobs = 1;
    double case_seconds = 120;   ///< a case that takes longer hangs
    std::int64_t only_case = -1; ///< of the only part; −1: all
    std::string options = {};    ///< that a case is run again with, beside its own
};

/// Runs cases in processes of their own, which begin anew after some cases and after a crash. Prints a line for each failure, and
/// at the end how many there were of each kind. True where there were none.
bool run(const Work& work);

} // namespace swirl::fuzz
