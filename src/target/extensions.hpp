#pragma once

namespace swirl::target {

/// What some CPUs of an instruction set have and others do not: instructions that add sums of products of narrow numbers to
/// wide ones. Kernels made of them say so in words of target/x86/.
struct Extensions {
    bool dot_products_of_bytes = false;         ///< AVX-512 VNNI
    bool dot_products_of_bytes_in_avx2 = false; ///< AVX-VNNI
    bool dot_products_of_bfloat16 = false;      ///< AVX-512 BF16
    bool tile_registers =
        false; ///< AMX-TILE, AMX-BF16 and AMX-INT8, and the operating system saves the tiles
};

/// Of this machine, as the CPU that host_cpu() names: nothing below avx2. SWIRL_EXTENSIONS in the environment may name the
/// only ones to use, separated by commas: vnni, bf16, amx; or none. Throws UserError for any other name.
const Extensions& host_extensions();

} // namespace swirl::target
