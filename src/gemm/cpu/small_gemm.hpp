#pragma once

#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

#include <string_view>

namespace swirl::gemm {

/// A GEMM with everything known at generation time: extents, strides, the cases of α and β. A and B are read in
/// place; only complex A, and A whose rows are not contiguous, are packed first.
struct SmallGemm {
    MatrixProduct product; ///< a single matrix; C's row stride is 1
    Update update = Update::overwrite;
    bool alpha_is_one = true;
    Tile tile = {};
    int unroll = 8;                 ///< k indices per loop iteration
    Integer kc = 1;                 ///< C is updated every `kc` k indices
    bool rows_outermost = false;    ///< loop order: all columns for each tile of rows, else the reverse
    bool prefetch_a = false;        ///< prefetches the next rows during the multiplication
    bool prefetch_c = false;        ///< prefetches a tile of C while it is computed
    bool a_is_given_packed = false; ///< `a` is prepacked: consecutive panels of a tile's rows (see pack.hpp)
    Epilogue epilogue = {};
    bool operator==(const SmallGemm&) const = default;
};

/// Why a problem does not run better unpacked; empty if it does: packing gains little for operands that are rarely reused
/// or already cached.
std::string_view small_gemm_infeasibility(const MatrixProduct& product);
inline bool suits_small_gemm(const MatrixProduct& product) {
    return small_gemm_infeasibility(product).empty();
}

/// K extent after which a small problem's C is updated: that much of the operand with fewer rows or columns fills
/// half of a core's own outer cache.
Integer small_kc(const MatrixProduct& product, const target::Cpu& cpu);

/// Tile and loop order from the extents and the target's parameters.
UnpackedGemm model_unpacked(const MatrixProduct& product, Integer kc, const target::Cpu& cpu);

/// The kernel that this schedule gives.
SmallGemm small_gemm_by(const UnpackedGemm& schedule, const MatrixProduct& product, Update update,
                        bool alpha_is_one);

/// The kernel of the model's schedule.
SmallGemm model_small_gemm(const MatrixProduct& product, Update update, bool alpha_is_one, Integer kc,
                           const target::Cpu& cpu);

/// The program. Buffers: `a`, `b`, `c`, `alpha`, `beta`, scratch `packed` if A is packed, and the epilogue's
/// operands.
ir::Program small_gemm(const SmallGemm& small);

/// Bytes of `packed`; 0: none.
Integer packed_bytes(const SmallGemm& small);

} // namespace swirl::gemm
