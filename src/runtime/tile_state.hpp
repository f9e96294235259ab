#pragma once

namespace swirl::runtime {

/// Whether kernels with tile registers may run: there are any, and the operating system has given its permission, which the
/// first call asks for.
bool may_use_tiles();

/// While it lives, the thread's tile registers are as kernels expect them (target/x86/tile_registers.hpp). Not to be made unless
/// may_use_tiles().
class TileState {
public:
    TileState();
    ~TileState();
    TileState(const TileState&) = delete;
    TileState& operator=(const TileState&) = delete;
};

} // namespace swirl::runtime
