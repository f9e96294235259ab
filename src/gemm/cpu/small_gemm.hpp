#pragma once

#include "gemm/cpu/schedule.hpp"
#include "gemm/cpu/tile_writer.hpp"
#include "ir/program.hpp"
#include "target/cpu.hpp"

#include <string_view>
#include <variant>
#include <vector>

namespace swirl::gemm {

/// A GEMM with everything known at generation time: extents, strides, the cases of α and β. A and B are read in
/// place; UnpackedGemm packs only complex A, and A whose rows are not contiguous, DotGemm what is not contiguous along K.
struct SmallGemm {
    MatrixProduct product; ///< a single matrix; C's row stride is 1
    Update update = Update::overwrite;
    bool alpha_is_one = true;
    std::variant<UnpackedGemm, DotGemm> schedule = {};
    bool a_is_given_packed = false; ///< `a` is prepacked: consecutive panels of a tile's rows (see pack.hpp)
    Epilogue epilogue = {};
    bool operator==(const SmallGemm&) const = default;

    Integer kc() const; ///< C is updated every `kc()` k indices
};

/// What loops of a small GEMM advance by.
struct SmallSteps {
    Integer rows, columns, k;
};
SmallSteps steps_of(const SmallGemm& small);

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

/// The same with a tile and a loop order that are given.
UnpackedGemm unpacked_with(const MatrixProduct& product, Integer kc, const target::Cpu& cpu, const Tile& tile,
                           bool rows_outermost);

/// Why lanes are not better columns; empty if they may be: vectors that few rows do not fill, where B's rows are contiguous.
std::string_view along_columns_infeasibility(const MatrixProduct& product);

/// Tiles that fit the registers and divide the product's extents about evenly.
std::vector<Tile> unpacked_tiles(const MatrixProduct& product, const target::Cpu& cpu);

/// The kernel of the model's schedule.
SmallGemm model_small_gemm(const MatrixProduct& product, Update update, bool alpha_is_one, Integer kc,
                           const target::Cpu& cpu);

/// The program. Buffers: `a`, `b`, `c`, `alpha`, `beta`, scratch `packed` if A is packed, and the epilogue's
/// operands.
ir::Program small_gemm(const SmallGemm& small);

/// Bytes of `packed`; 0: none.
Integer packed_bytes(const SmallGemm& small);

} // namespace swirl::gemm
