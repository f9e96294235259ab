#include "target/extensions.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "target/cpu.hpp"

#include <cstdint>
#include <string_view>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swirl::target {

namespace {

#if defined(__x86_64__)

/// CPUID leaf 7 (Intel SDM volume 2A, table 3-8).
Extensions detect_extensions() {
    constexpr std::uint32_t vnni = 1U << 11, bf16 = 1U << 5, avx_vnni = 1U << 4;
    constexpr std::uint32_t amx = 1U << 22 | 1U << 24 | 1U << 25; // AMX-BF16, AMX-TILE, AMX-INT8
    constexpr std::uint64_t tile_state = 3U << 17;                // XCR0 bits 17, 18
    Extensions found;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    const InstructionSet set = host_cpu().set;
    if (set != InstructionSet::avx2_fma && set != InstructionSet::avx512) return found;
    if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) {
        found.dot_products_of_bytes_in_avx2 = (a & avx_vnni) != 0;
        found.dot_products_of_bfloat16 = set == InstructionSet::avx512 && (a & bf16) != 0;
    }
    if (set != InstructionSet::avx512 || __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return found;
    found.dot_products_of_bytes = (c & vnni) != 0;
    found.tile_registers = (d & amx) == amx && (saved_state() & tile_state) == tile_state;
    return found;
}

#else

Extensions detect_extensions() { return {}; }

#endif

/// Those of the detected extensions that a list names.
Extensions named(const Extensions& found, std::string_view list) {
    Extensions chosen;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view name = list.substr(0, comma);
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
        if (name == "vnni") {
            chosen.dot_products_of_bytes = found.dot_products_of_bytes;
            chosen.dot_products_of_bytes_in_avx2 = found.dot_products_of_bytes_in_avx2;
        } else if (name == "bf16")
            chosen.dot_products_of_bfloat16 = found.dot_products_of_bfloat16;
        else if (name == "amx")
            chosen.tile_registers = found.tile_registers;
        else if (name != "none")
            throw UserError("SWIRL_EXTENSIONS names '{}'; the names are vnni, bf16, amx and none", name);
    }
    return chosen;
}

} // namespace

const Extensions& host_extensions() {
    static constinit LazyValue<const Extensions> extensions;
    return extensions.get([] {
        const Extensions found = detect_extensions();
        const char* names = environment_variable("SWIRL_EXTENSIONS");
        return names == nullptr || *names == '\0' ? found : named(found, names);
    });
}

} // namespace swirl::target
