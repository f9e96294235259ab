#pragma once

#include "lower/context.hpp"
#include "lower/twiddle_tables.hpp"

#include <memory>

namespace swirl::lower {

/// Emits a call's loops, as tagged, and its codelet's straight-line code.
void emit_call(Context& context, const Call& call);

class CodeletEmitter;

/// A call without its loops; the caller binds their variables to the same iteration for load, compute and store.
class BoundCall {
public:
    BoundCall(Context& context, const Call& call);
    ~BoundCall();
    using Entries = std::vector<Scaled>;
    Entries load();
    Entries compute(Entries sources); ///< the codelet's straight-line code
    void store(Entries targets);

private:
    std::unique_ptr<CodeletEmitter> emitter_;
};

} // namespace swirl::lower
