#pragma once

namespace swirl::runtime {

/// Whether kernels may use tile registers: the CPU has them, and the operating system permits them. The first call
/// requests the permission.
bool may_use_tiles();

/// While alive, configures the thread's tile registers as kernels expect them (target/x86/tile_registers.hpp). Nests: the
/// outermost one configures and releases. Requires may_use_tiles().
class TileState {
public:
    TileState();
    ~TileState();
    TileState(const TileState&) = delete;
    TileState& operator=(const TileState&) = delete;
};

} // namespace swirl::runtime
