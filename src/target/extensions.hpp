#pragma once

namespace swirl::target {

/// Optional extensions of an instruction set: instructions that accumulate products of low-precision types in a wider
/// type. Kernels use them through the instructions of target/x86/.
struct Extensions {
    bool dot_products_of_bytes = false;         ///< AVX-512 VNNI
    bool dot_products_of_bytes_in_avx2 = false; ///< AVX-VNNI
    bool dot_products_of_bfloat16 = false;      ///< AVX-512 BF16
    bool tile_registers =
        false; ///< AMX-TILE, AMX-BF16 and AMX-INT8, and the operating system saves the tiles
};

/// Extensions of the host, restricted to the CPU that host_cpu() selects: none below avx2. SWIRL_EXTENSIONS in the
/// environment may list the only ones to use, separated by commas: vnni, bf16, amx; or none. Throws UserError for any
/// other name.
const Extensions& host_extensions();

} // namespace swirl::target
