#pragma once

#include "plan/transform/arguments.hpp"
#include "plan/transform/cpu/direct_call.hpp"

namespace swirl::planning {

/// A transform from one array to another by one function: the checks of its pointers and the call, side by side in memory.
/// Everything else is decided when planning, since a transform of a few points takes no longer than these.
class PointerCall {
public:
    PointerCall() = default; ///< runs nothing
    PointerCall(const PointerCheck& check, const DirectCall& call) : check_(check), call_(call) {}

    /// Executes the transform if nothing is wrong with the pointers at first glance. Otherwise does nothing and returns
    /// false.
    bool run(const void* input, void* output) const {
        if (!check_.admits(input, output)) return false;
        call_(input, output);
        return true;
    }

private:
    PointerCheck check_;
    DirectCall call_;
};

} // namespace swirl::planning
