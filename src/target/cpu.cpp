#include "target/cpu.hpp"

#include "base/environment.hpp"
#include "base/error.hpp"
#include "base/fork_gate.hpp"
#include "target/catalogue.hpp"

#include <array>
#include <string>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace swirl::target {

namespace {

#if defined(__x86_64__)

InstructionSet detect() {
    constexpr std::uint64_t xmm_ymm = 0x06;            // XCR0 bits 1, 2
    constexpr std::uint64_t xmm_ymm_opmask_zmm = 0xe6; // and 5, 6, 7
    constexpr std::uint32_t avx512_bits = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    std::uint32_t a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return InstructionSet::sse2;
    const bool has_fma = (c & bit_FMA) != 0 && (c & bit_AVX) != 0;
    const std::uint64_t state = saved_state();
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return InstructionSet::sse2;
    if (!has_fma || (b & bit_AVX2) == 0 || (state & xmm_ymm) != xmm_ymm) return InstructionSet::sse2;
    if ((b & avx512_bits) != avx512_bits || (state & xmm_ymm_opmask_zmm) != xmm_ymm_opmask_zmm)
        return InstructionSet::avx2_fma;
    return InstructionSet::avx512;
}

#else

InstructionSet detect() { return InstructionSet::portable; }

#endif

InstructionSet host_set() {
    static constinit LazyValue<InstructionSet> set;
    return set.get(detect);
}

} // namespace

#if defined(__x86_64__)

std::uint64_t saved_state() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return static_cast<std::uint64_t>(high) << 32 | low;
}

#endif

namespace {

/// Cores with AVX2 and AVX-512 have some 2 (Intel) to 4 MiB (AMD) each of a cache that they share.
constexpr Integer share_of_cores_with_avx = Integer{4} << 20;

} // namespace

const Cpu& portable_cpu() {
    static constinit LazyValue<const Cpu> cpu;
    return cpu.get([] {
        return Cpu{.name = "portable",
                   .set = InstructionSet::portable,
                   .vector_bytes = 16,
                   .vector_registers = 16,
                   .has_fma = false,
                   .has_masks = false,
                   .cache_bytes = 0,
                   .streaming_bytes = 0,
                   .instructions = {}};
    });
}

const Cpu& sse2_cpu() {
    static constinit LazyValue<const Cpu> cpu;
    return cpu.get([] {
        return Cpu{.name = "sse2",
                   .set = InstructionSet::sse2,
                   .vector_bytes = 16,
                   .vector_registers = 16,
                   .has_fma = false,
                   .has_masks = false,
                   .cache_bytes = 256 << 10,
                   .streaming_bytes = 256 << 10,
                   .instructions = listed_instructions(InstructionSet::sse2)};
    });
}

const Cpu& avx2_cpu() {
    static constinit LazyValue<const Cpu> cpu;
    return cpu.get([] {
        return Cpu{.name = "avx2",
                   .set = InstructionSet::avx2_fma,
                   .vector_bytes = 32,
                   .vector_registers = 16,
                   .has_fma = true,
                   .has_masks = false,
                   .cache_bytes = 512 << 10,
                   .streaming_bytes = share_of_cores_with_avx,
                   .instructions = listed_instructions(InstructionSet::avx2_fma)};
    });
}

const Cpu& avx512_cpu() {
    static constinit LazyValue<const Cpu> cpu;
    return cpu.get([] {
        return Cpu{.name = "avx512",
                   .set = InstructionSet::avx512,
                   .vector_bytes = 64,
                   .vector_registers = 32,
                   .has_fma = true,
                   .has_masks = true,
                   .cache_bytes = 1 << 20,
                   .streaming_bytes = share_of_cores_with_avx,
                   .instructions = listed_instructions(InstructionSet::avx512),
                   .permutes_two = true};
    });
}

const Cpu& neon_cpu() {
    static constinit LazyValue<const Cpu> cpu;
    return cpu.get([] {
        return Cpu{.name = "neon",
                   .set = InstructionSet::neon,
                   .vector_bytes = 16,
                   .vector_registers = 32,
                   .has_fma = true,
                   .has_masks = false,
                   .cache_bytes = 512 << 10,
                   .streaming_bytes = 512 << 10,
                   .instructions = listed_instructions(InstructionSet::neon),
                   .has_fms = false,
                   .emitted_only = true};
    });
}

std::span<const Cpu* const> cpus() {
    static constinit LazyValue<const std::array<const Cpu*, instruction_sets>> all;
    return all.get([] {
        return std::array<const Cpu*, instruction_sets>{&portable_cpu(), &sse2_cpu(), &avx2_cpu(),
                                                        &avx512_cpu(), &neon_cpu()};
    });
}

const Cpu& cpu_named(std::string_view name) {
    std::string names;
    for (const Cpu* cpu : cpus()) {
        if (cpu->name == name) return *cpu;
        names += fmt::format("{}{}", names.empty() ? "" : ", ", cpu->name);
    }
    throw UserError("unknown CPU '{}'; the names are {}", name, names);
}

bool host_can_run(const Cpu& cpu) { return !cpu.emitted_only && cpu.set <= host_set(); }

const Cpu& host_cpu() {
    if (const char* name = environment_variable("SWIRL_CPU"); name != nullptr && *name != '\0') {
        const Cpu& cpu = cpu_named(name);
        if (!host_can_run(cpu))
            throw UserError("SWIRL_CPU is '{}', which this machine cannot run; use {} or a lower one", name,
                            cpus()[static_cast<std::size_t>(host_set())]->name);
        return cpu;
    }
    return *cpus()[static_cast<std::size_t>(host_set())];
}

} // namespace swirl::target
