#pragma once

#include "sass/cubin.hpp"

#include <string>
#include <string_view>

namespace swirl::sass {

/// Compiled kernels with the first one's main loop reordered; or unchanged, with the reason.
struct ReorderedLoop {
    Bytes image;
    std::string not_reordered_because; ///< empty if the loop was reordered
    long long cycles_before = 0;       ///< model cycles per iteration
    long long cycles = 0;
};

/// The kernel changes only if the new loop passes loop_mismatch (sass/loop_proof.hpp); never throws for a kernel
/// with another kind of loop. `target`: what it is compiled for, such as "sm_90".
ReorderedLoop reorder_main_loop(const Bytes& image, std::string_view target);

} // namespace swirl::sass
