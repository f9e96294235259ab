#include "bench/support/resident_memory.hpp"

#include <unistd.h>
#include <fstream>

namespace swirl::bench {

double resident_mebibytes() {
    long pages = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> pages >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

} // namespace swirl::bench
