#include <swirl/background.hpp>

#include "api/c.hpp"

#include <limits>

using namespace swirl::api;

extern "C" {

swirl_status swirl_background_pending(char* text, size_t size, size_t* length) {
    return guarded([&] {
        std::string lines;
        for (const swirl::Problem& problem : swirl::background::pending())
            lines += swirl::to_text(problem) + "\n";
        copy_text(lines, text, size, length);
    });
}

swirl_status swirl_background_wait(double seconds, int* is_done) {
    return guarded([&] {
        const double limit = seconds < 0 ? std::numeric_limits<double>::infinity() : seconds;
        const bool done = swirl::background::wait(limit);
        if (is_done != nullptr) *is_done = done ? 1 : 0;
    });
}

swirl_status swirl_background_stop(size_t* stopped) {
    return guarded([&] {
        const swirl::Integer count = swirl::background::stop();
        if (stopped != nullptr) *stopped = static_cast<size_t>(count);
    });
}

} // extern "C"
