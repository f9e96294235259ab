#include "target/streaming.hpp"

namespace swirl::target {

Integer streaming_bytes(const Cpu& cpu) {
    // Cores with AVX2 have some 2 (Intel) to 4 MiB (AMD) each of a cache that they share. On a Zen 3 stores past the caches
    // take up to 1.8 times as long below 4 MiB, and ordinary ones up to 1.4 times above
    // (dft 3840 of several batches, with the output on a cache line and, for ordinary stores, 16 bytes off it).
    constexpr Integer shared_with_avx2 = Integer{4} << 20;
    return cpu.set == InstructionSet::avx2_fma ? shared_with_avx2 : cpu.cache_bytes;
}

} // namespace swirl::target
