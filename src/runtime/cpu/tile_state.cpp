#include "runtime/cpu/tile_state.hpp"

#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "target/extensions.hpp"
#include "target/x86/tile_registers.hpp"

#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace swirl::runtime {

#if defined(__x86_64__) && defined(__linux__)

namespace {

/// The operand of LDTILECFG (Intel SDM volume 1, table 18-1).
struct alignas(64) TileConfiguration {
    std::uint8_t palette = 1;
    std::uint8_t start_row = 0;
    std::uint8_t reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};

    constexpr TileConfiguration() {
        for (int tile = 0; tile < target::x86::tile_registers; ++tile) {
            row_bytes[tile] = target::x86::tile_row_bytes;
            rows[tile] = target::x86::tile_rows;
        }
    }
};
static_assert(sizeof(TileConfiguration) == 64);

/// Linux requires a process to request permission for large register state (Documentation/arch/x86/xstate.rst).
bool ask_permission() {
    constexpr long request = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM
    return syscall(SYS_arch_prctl, request, tile_data) == 0;
}

/// Of the thread.
thread_local int states = 0;

} // namespace

bool may_use_tiles() {
    static constinit LazyValue<bool> may;
    return may.get([] { return target::host_extensions().tile_registers && ask_permission(); });
}

TileState::TileState() {
    static constexpr TileConfiguration configuration;
    ensure(may_use_tiles(), "tile registers that may not be used");
    if (states++ > 0) return;
    asm volatile("ldtilecfg %0" : : "m"(configuration));
}

TileState::~TileState() {
    if (--states == 0) asm volatile("tilerelease" ::: "memory");
}

#else

bool may_use_tiles() { return false; }

TileState::TileState() { ensure(false, "tile registers on a CPU without any"); }

TileState::~TileState() = default;

#endif

} // namespace swirl::runtime
