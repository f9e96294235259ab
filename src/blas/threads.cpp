#include "blas/threads.hpp"

#include "runtime/team.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace swirl::blas {
namespace {

/// The number that a variable of the environment begins with (of "4,2" OMP_NUM_THREADS means the 4 here); 0 where there is none.
int number_in(const char* variable) {
    const char* text = std::getenv(variable);
    return text == nullptr ? 0 : static_cast<int>(std::clamp(std::strtol(text, nullptr, 10), 0L, 1024L));
}

int asked_for() {
    for (const char* variable : {"SWIRL_NUM_THREADS", "OMP_NUM_THREADS"})
        if (const int number = number_in(variable); number > 0) return number;
    return runtime::processors();
}

std::atomic<int> in_use = 0; ///< 0: not known yet

} // namespace

int threads() {
    if (const int known = in_use.load(std::memory_order_relaxed); known != 0) return known;
    static const int first = [] {
        pthread_atfork(nullptr, nullptr, [] { in_use = 1; });
        return asked_for();
    }();
    in_use = first;
    return first;
}

} // namespace swirl::blas
