#pragma once

#include "formula/formula.hpp"
#include "ir/program.hpp"
#include "lower/arithmetic.hpp"
#include "lower/pointwise.hpp"

#include <optional>
#include <string>
#include <vector>

/// Formula → LoopProgram → IR. Kronecker products with identities and iterative sums become loops, index maps fold
/// into addresses, and diagonals fold into the loads and stores of straight-line codelets (Σ-SPL: Franchetti,
/// Voronenko, Püschel, "Formal loop merging for signal transforms", PLDI 2005).
namespace swirl::lower {

/// Address of each entry of a vector: the index splits into digits (row-major over `lengths`), each with a stride.
/// Strides count elements: complex elements for complex data, reals for real data.
struct Layout {
    std::vector<Integer> lengths;
    std::vector<Integer> strides;
    /// For the caller's memory with a callback (see Pointwise): forms of the same digits.
    std::optional<std::vector<LayoutForm>> forms = {};
    static Layout contiguous(Integer n) { return {{n}, {1}}; }
    bool operator==(const Layout&) const = default;
};

/// A caller's array other than input and output.
struct AuxiliaryArray {
    std::string name;
    bool is_complex = true;
    Integer elements = 0;
    bool operator==(const AuxiliaryArray&) const = default;
};

/// The array that multiplies entries (formula::ArgumentFunction), complex if they are.
struct AuxiliaryFactor {
    std::size_t array = 0; ///< in KernelRequest::arrays
    Layout layout;         ///< address of the factor for an entry of the whole vector
    bool operator==(const AuxiliaryFactor&) const = default;
};

/// Elements low … high of the caller's memory are accessed, relative to index 0.
struct Reach {
    Integer low;
    Integer high;
    bool operator==(const Reach&) const = default;
};

/// Whether twiddle factors are loaded from one table, or are products of entries of two small tables.
enum class Roots : std::uint8_t { by_size, loaded, multiplied };

struct KernelRequest {
    std::string name;
    formula::Formula formula; ///< expanded; remaining transforms become codelets
    /// For callbacks on a half spectrum: an equivalent formula that has both components of each element in one call.
    /// It is used if the first formula spreads them over different calls or iterations.
    std::optional<formula::Formula> by_complex_entries = {};
    bool complex = true; ///< entries are complex, stored as adjacent pairs
    DataType scalar = DataType::float64;
    Layout input;
    Layout output;
    bool in_place = false;             ///< one buffer "data" instead of "in" and "out"
    bool input_split_complex = false;  ///< the caller keeps the components of complex elements in two arrays
    bool output_split_complex = false; ///< the same
    std::vector<AuxiliaryArray> arrays = {};
    std::optional<AuxiliaryFactor> auxiliary = {};
    std::optional<Pointwise> load = {};    ///< load callback of `input`
    std::optional<Pointwise> store = {};   ///< store callback of `output`
    std::optional<Reach> input_reach = {}; ///< if not all of the layout is accessed
    std::optional<Reach> output_reach = {};
    long double scale = 1;
    int lanes = 1;           ///< of a vector register
    Integer cache_bytes = 0; ///< larger vectors are written with non-temporal stores; 0: never
    Multiplication multiplication = Multiplication::fused;
    bool pairs = false;        ///< whether vectors may hold complex elements as pairs of neighbouring lanes
    bool merge_columns = true; ///< whether a codelet may hold several factors with diagonals between them
    bool for_gpu = false;
    Integer smem_pad_interval =
        0; ///< on a GPU, entries of a temporary after which one is skipped to avoid bank conflicts; 0: never
    bool nest_loops_inside = false; ///< on a GPU, loops of a nested product run inside each of its factors
    Integer shared_entries = 0;     ///< size limit of temporaries that smem_pad_interval applies to; 0: none
    Roots roots = Roots::by_size;
};

struct LoopProgram;

/// The first half of lowering: loops around codelets, with index maps and diagonals folded into the codelets' ends.
/// UnfollowedMap if padded rows of shared memory separate entries that a copy keeps together.
LoopProgram loop_program(const KernelRequest& request);

/// A copy's index map is neither affine in loops over its entries nor expressible as a table.
class UnfollowedMap : public InternalError {
public:
    UnfollowedMap() : InternalError("an index map of a copy is neither affine nor a table") {}
};
/// The second half: codelets become straight-line operations; one loop of each becomes vector lanes.
ir::Program lower(const KernelRequest& request, const LoopProgram& loops);

/// The kernel. Its buffers are the arguments ("in", "out" or "data"), then the used auxiliary `arrays` with the prefix
/// "with_", then scratch and tables, in order of first use.
ir::Program lower(const KernelRequest& request);

} // namespace swirl::lower
