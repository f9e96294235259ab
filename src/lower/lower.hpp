#pragma once

#include "formula/formula.hpp"
#include "ir/program.hpp"
#include "lower/arithmetic.hpp"
#include "lower/pointwise.hpp"

#include <optional>
#include <string>
#include <vector>

/// Formula → LoopProgram → ir. Loops come from Kronecker products with identities and from iterative sums; index maps fold into
/// addresses, diagonals into the loads and stores of straight-line codelets (Σ-SPL: Franchetti, Voronenko,
/// Püschel, "Formal loop merging for signal transforms", PLDI 2005).
namespace swirl::lower {

/// Where the entries of a vector lie: the index splits into digits (row-major over `lengths`), each digit steps by
/// its stride. Strides count elements: complex numbers for complex data, reals for real data.
struct Layout {
    std::vector<Integer> lengths;
    std::vector<Integer> strides;
    /// Of the caller's memory where something is done to each number (see Pointwise): forms of the same digits.
    std::optional<std::vector<PlaceForm>> forms = {};
    static Layout contiguous(Integer n) { return {{n}, {1}}; }
    bool operator==(const Layout&) const = default;
};

/// An array of the caller's beside input and output.
struct CallersArray {
    std::string name;
    bool is_complex = true;
    Integer elements = 0;
    bool operator==(const CallersArray&) const = default;
};

/// The array that entries are multiplied by (formula::ArgumentFunction), complex where they are.
struct BesideArray {
    std::size_t array = 0; ///< in KernelRequest::arrays
    Layout layout;         ///< where the factor of an entry of the whole vector lies
    bool operator==(const BesideArray&) const = default;
};

/// Elements low … high of the caller's memory are touched, from index 0.
struct Reach {
    Integer low;
    Integer high;
    bool operator==(const Reach&) const = default;
};

/// Whether what entries are multiplied by is loaded from one table, or is the product of entries of two small ones.
enum class Roots : std::uint8_t { by_size, loaded, multiplied };

struct KernelRequest {
    std::string name;
    formula::Formula formula; ///< expanded; transforms left whole become codelets
    /// Where something is done to numbers of a half spectrum: the same, with a step that has the parts of each together. Taken
    /// where the other has them in different steps, or iterations.
    std::optional<formula::Formula> by_numbers = {};
    bool complex = true; ///< entries are complex numbers, stored as adjacent pairs
    ir::Scalar scalar = ir::Scalar::float64;
    Layout input;
    Layout output;
    bool in_place = false;           ///< one buffer "data" instead of "in" and "out"
    bool input_parts_apart = false;  ///< complex numbers of which the caller keeps the parts in two arrays
    bool output_parts_apart = false; ///< the same
    std::vector<CallersArray> arrays = {};
    std::optional<BesideArray> beside = {};
    std::optional<Pointwise> load = {};    ///< done to numbers that are read by `input`
    std::optional<Pointwise> store = {};   ///< and before they are written by `output`
    std::optional<Reach> input_reach = {}; ///< where not all of the layout is touched
    std::optional<Reach> output_reach = {};
    long double scale = 1;
    int lanes = 1;           ///< of a machine vector
    Integer cache_bytes = 0; ///< vectors larger than this are written past the caches; 0: none is
    Multiplication multiplication = Multiplication::fused;
    bool pairs = false;        ///< whether vectors may hold complex numbers as pairs of neighbouring lanes
    bool merge_columns = true; ///< whether a codelet may hold several factors with diagonals between them
    bool for_gpu = false;
    Integer shared_row =
        0; ///< on a GPU, entries of a temporary after which one is left out, so that banks differ; 0: never
    bool loops_inside =
        false; ///< on a GPU, loops within a step of a product run inside each of its own steps
    Integer shared_entries = 0; ///< of the largest temporary for which that holds; 0: any
    Roots roots = Roots::by_size;
};

struct LoopProgram;

/// The first half of lowering: loops around codelets, index maps and diagonals folded into the codelets' ends.
/// UnfollowedMap where rows of shared memory take entries apart that a copy has together.
LoopProgram loop_program(const KernelRequest& request);

/// A copy's index map is neither affine in loops over its entries nor a table.
class UnfollowedMap : public InternalError {
public:
    UnfollowedMap() : InternalError("an index map of a copy is neither affine nor a table") {}
};
/// The second half: codelets become straight-line operations, one loop of each vector lanes.
ir::Program lower(const KernelRequest& request, const LoopProgram& loops);

/// The kernel: arguments first ("in", "out" or "data"), then those of `arrays` that are used, named "with_" and theirs, scratch and tables, in order of first use.
ir::Program lower(const KernelRequest& request);

} // namespace swirl::lower
