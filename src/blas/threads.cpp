#include "blas/threads.hpp"

#include "base/fork_gate.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace swirl::blas {
namespace {

/// The integer at the start of an environment variable (OMP_NUM_THREADS=4,2 means 4 here); 0 if there is none.
int integer_in(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? 0 : static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, 1024L));
}

int asked_for() {
    for (const char* variable : {"SWIRL_NUM_THREADS", "OMP_NUM_THREADS"})
        if (const int threads = integer_in(variable); threads > 0) return threads;
    return runtime::processors();
}

struct Asked {
    int threads;
    std::uint64_t forks; ///< number of forks before the variables were read
};

} // namespace

int threads() {
    static constinit LazyValue<Asked> asked;
    const Asked& first = asked.get([] { return Asked{asked_for(), forks()}; });
    return first.forks == forks() ? first.threads : 1;
}

} // namespace swirl::blas
