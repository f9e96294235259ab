#pragma once

#include "gemm/cpu/tile.hpp"
#include "gemm/operand_types.hpp"
#include "target/cpu.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace swirl::gemm {

/// GEMM in packed blocks. C is computed in blocks of columns, these in blocks of K, these in blocks of rows, these in
/// tiles. A block of B is packed once, a block of A once per block of B. A panel of B stays in L1 while the panels of a
/// block of A stream from a core's own outer cache (Goto and van de Geijn 2008, section 4).
struct BlockedGemm {
    Tile tile = {};            ///< m_r × n_r
    int unroll = 4;            ///< k indices per iteration of a tile's loop
    Integer mc = 1;            ///< m_c: rows of a packed block of A
    Integer kc = 1;            ///< k_c
    Integer nc = 1;            ///< n_c: columns of a packed block of B
    bool prefetch_c = true;    ///< prefetches a tile of C while it is computed
    bool prefetch_next = true; ///< prefetches the next panel of B while tiles use the current one
    int prefetch_a = 0;        ///< prefetch distance in A's panel, in k indices; 0: left to the hardware
    /// Loop order within a block: all panels of A for each panel of B; otherwise all of B for each panel of A.
    bool rows_innermost = true;
    bool operator==(const BlockedGemm&) const = default;
};

/// GEMM as one kernel for exactly one problem, whose operands are read in place (see small_gemm.hpp).
struct UnpackedGemm {
    Tile tile = {};
    int unroll = 8;              ///< k indices per loop iteration
    Integer kc = 1;              ///< C is updated every `kc` k indices
    bool rows_outermost = false; ///< loop order: all columns for each tile of rows, else the reverse
    bool prefetch_a = false;     ///< prefetches the next rows during the multiplication
    bool prefetch_c = false;     ///< prefetches a tile of C while it is computed
    /// Lanes are columns of C and B, not rows of C and A: the transposed problem, so the tile's and the loops' rows are
    /// columns. For real products with few rows.
    bool along_columns = false;
    bool operator==(const UnpackedGemm&) const = default;
};

/// GEMM as dot products: lanes lie along K, and their sums are joined at the end. For exactly one problem, whose operands
/// are read in place where they are contiguous along K (see dot_gemm.hpp).
struct DotGemm {
    int rows = 1; ///< of a tile of C
    int columns = 1;
    int lanes = 2;               ///< scalars of a vector along K
    int chains = 1;              ///< accumulators of an element of C, which take vectors along K in turn
    int unroll = 1;              ///< vectors along K per loop iteration: a multiple of `chains`
    Integer kc = 1;              ///< C is updated every `kc` k indices: K, or a multiple of a vector
    bool rows_outermost = false; ///< loop order: all columns for each tile of rows, else the reverse
    bool operator==(const DotGemm&) const = default;
};

/// GEMM in packed blocks by tile registers (see amx_kernel.hpp).
struct AmxGemm {
    int term_products = 1; ///< bf16 products per element product: 1, 3 or 6 for float32; otherwise 1
    Integer mc = 1, kc = 1, nc = 1;
    /// For float32: computes operands that no bf16 split represents, such as infinities.
    std::optional<BlockedGemm> fallback = {};
    bool operator==(const AmxGemm&) const = default;
};

/// GEMM by tiles compiled into the library.
struct BuiltinGemm {
    bool operator==(const BuiltinGemm&) const = default;
};

/// A problem without multiplications: an extent is zero.
struct EmptyGemm {
    bool operator==(const EmptyGemm&) const = default;
};

/// How a CPU computes a matrix multiplication: all that decides its code and the bits of its results.
struct CpuGemm {
    std::variant<EmptyGemm, BuiltinGemm, UnpackedGemm, DotGemm, BlockedGemm, AmxGemm> kernel = {};
    bool operator==(const CpuGemm&) const = default;

    const BlockedGemm* blocked() const { return std::get_if<BlockedGemm>(&kernel); }
    const UnpackedGemm* unpacked() const { return std::get_if<UnpackedGemm>(&kernel); }
    const DotGemm* dot() const { return std::get_if<DotGemm>(&kernel); }
    const AmxGemm* amx() const { return std::get_if<AmxGemm>(&kernel); }
};

/// One line: the kind of kernel and its parameters:
///   blocked mr=24 nr=8 unroll=4 mc=120 kc=512 nc=2048 loop=rows prefetch=c,next,a8
///   unpacked mr=16 nr=6 lanes=8 unroll=8 kc=64 loop=columns prefetch=none [along=columns]
///   dot mr=8 nr=2 lanes=8 chains=1 unroll=2 kc=1024 loop=rows
///   amx products=6 mc=256 kc=512 nc=4096 fallback mr=48 nr=8 …
///   builtin
std::string to_string(const CpuGemm& schedule);
std::string to_string(const BlockedGemm& schedule);

/// Parses what to_string wrote, for this problem on this CPU. Parameters may come in any order. Throws UserError that names the
/// parameter, its value and what would work, for text that is not a schedule and for a schedule that does not suit the
/// problem.
CpuGemm parse_cpu_gemm(std::string_view text, const target::Cpu& cpu, const MatrixProduct& canonical);

/// Throws UserError if the schedule does not suit the CPU (portable for BuiltinGemm), or the problem, whose C has row
/// stride 1 or no unit stride.
void require_suitable(const CpuGemm& schedule, const target::Cpu& cpu, const MatrixProduct& canonical);

/// The data types of a problem with the best method of this CPU; extensions are used on the host's own CPU only.
OperandTypes operand_types_on(const MatrixProduct& product, const target::Cpu& cpu);

/// Block extent that divides `extent` nearly evenly: a multiple of `multiple`, at most about `most`.
Integer balanced_block(Integer extent, Integer most, Integer multiple);

/// Block sizes of a problem, all blocks nearly equal.
struct BlockSizes {
    Integer mc = 1, kc = 1, nc = 1;
    bool operator==(const BlockSizes&) const = default;
};
/// With a K extent of at most `kc`; blocks deeper than the schedule's have fewer rows and columns.
BlockSizes blocks_of(const BlockedGemm& schedule, Integer rows, Integer k_extent, Integer columns,
                     Integer kc);

/// Whether a tile's accumulators and the operands of one k fit the registers.
bool fits_registers(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);
/// Whether panels of so many columns can be packed: with K groups or widened elements only vectors or halves of them.
bool can_be_packed(const OperandTypes& types, int columns);
/// The model's cycles per k index, divided by the vector multiply-adds in it.
double cycles_per_k(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);
/// The model's block sizes for a tile.
BlockedGemm model_schedule_of(const OperandTypes& types, const Tile& tile, const target::Cpu& cpu);

/// The schedule derived from the target's registers and caches, as Yotov et al. derive ATLAS's parameters ("Is search
/// really necessary to generate high-performance BLAS?", 2005).
BlockedGemm model_schedule(const OperandTypes& types, const target::Cpu& cpu);
inline BlockedGemm model_schedule(DataType data_type, const target::Cpu& cpu) {
    return model_schedule(OperandTypes::all(data_type), cpu);
}

} // namespace swirl::gemm
