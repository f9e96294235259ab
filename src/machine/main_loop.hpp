#pragma once

#include "machine/cubin.hpp"

#include <string>
#include <string_view>

namespace swirl::machine {

/// Compiled kernels of which the first one's main loop was put into another order; or, as they were, with the reason why not.
struct MainLoop {
    Bytes image;
    std::string kept_because;    ///< empty where the loop is another
    long long cycles_before = 0; ///< by the model, of an iteration
    long long cycles = 0;
};

/// Nothing that is not proved (machine/loop_proof.hpp) becomes of the kernel; never throws for a kernel that is not of the kind.
/// `target`: what it is compiled for, "sm_90".
MainLoop schedule_main_loop(const Bytes& image, std::string_view target);

} // namespace swirl::machine
