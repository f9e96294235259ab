#pragma once

#include "emit/gpu_c/launch.hpp"
#include "emit/ptx/assembly.hpp"
#include "emit/ptx/layout.hpp"
#include "emit/usage.hpp"
#include "ir/program.hpp"
#include "ir/ranges.hpp"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace swirl::emit {

/// A 32-bit or 64-bit integer: a register or a literal.
struct PtxInteger {
    std::string text = "0";
    bool is_wide = false;
    bool is_literal = true;
};

/// Computes affine forms and addresses in registers, with few instructions:
///
/// - A form has 32 bits if the ranges of its variables prove that it fits, else 64. An index lies within its buffer, so
///   it has 32 bits if the buffer's extent proves that it fits.
/// - Terms are added from the outermost variable to the innermost, and each partial sum stays cached while its
///   variables are in scope. So loop-invariant sums are computed before the loop, and forms share common outer terms.
/// - The constant of an index is left out; it becomes the displacement in `[register+displacement]`.
class PtxAddresses {
public:
    PtxAddresses(PtxAssembly& out, const ir::Program& program, const Usage& usage, const PtxLayout& layout);

    /// Defines registers for the block and thread indices, parameters and buffers in use; call at the start of the
    /// kernel.
    void declare();

    /// Opens a scope, whose values are discarded at its end.
    void open_scope() { scopes_.emplace_back(); }
    void close_scope() { scopes_.pop_back(); }
    /// Binds a variable of the innermost scope.
    void bind(Variable variable, PtxInteger value);
    std::string digit_of(const std::string& index, const ir::VariableInfo& info);
    /// Hoists out of the following loop what `body` needs and does not change.
    void prepare(const ir::Body& body);

    PtxInteger value(const Affine& form);
    /// The form without its constant. `wraps`: modulo 2^32 suffices.
    PtxInteger variable_part(const Affine& form, bool wraps = false);
    PtxInteger converted(const PtxInteger& value, bool wide);

    /// A register: the address without the index's constant; `dynamic` is the register of the dynamic index, if any.
    std::string pointer(const ir::Address& address, const std::string& dynamic);
    /// `[pointer+displacement]` of the lane `lane_offset` elements from the address.
    std::string operand(const std::string& pointer, const ir::Address& address, Integer lane_offset);

    /// A register as from `pointer`, wherever in the cluster the index lies; operands have no further offset.
    std::string computed_pointer(const ir::Address& address);
    /// A register as from `pointer`, in another block's shared memory.
    std::string remote_pointer(const ClusterAddress& location);

    /// A register: the address of an smem tile in units of swizzle_chunk_bytes, without the index's constant, as wgmma
    /// descriptors need it. Warp-uniform.
    std::string tile_pointer(const ir::Address& address);
    /// Hoists what the wgmma operations of `body` need and is bound already.
    void prepare_tiles(const ir::Body& body);

    /// A known divisor, in bytes, of the address of lane 0.
    Integer alignment(const ir::Address& address) const;

    ir::VariableRanges& ranges() { return ranges_; }
    const BufferLocation& location(ir::Buffer buffer) const {
        return layout_.locations[static_cast<std::size_t>(buffer)];
    }

private:
    struct Bound {
        PtxInteger value;
        int depth = -1; ///< nesting level of its scope; −1: not bound
    };
    struct Scope {
        std::map<std::pair<Affine, bool>, PtxInteger> forms; ///< true: modulo 2^32
        std::map<std::tuple<ir::Buffer, Affine, bool>, std::string> pointers;
        std::map<std::pair<ir::Buffer, Affine>, std::string> tiles;
        std::map<std::pair<std::string, Affine>, std::string>
            remote; ///< by pointer in the block's own shared memory, and rank
    };

    Bound& bound(Variable variable) { return bound_[static_cast<std::size_t>(variable)]; }
    Integer element_size(ir::Buffer buffer) const;
    /// The form without its constant and without variables that are always 0.
    Affine live_terms(const Affine& form) const;
    /// Those of its terms whose variables are bound.
    Affine bound_terms(const Affine& form);
    PtxInteger multiply_add(const PtxInteger& factor, Integer coefficient, const PtxInteger& sum, bool wide);
    /// Whether 32 bits hold the index without its constant at every access.
    bool may_wrap(const ir::Address& address) const;
    std::string fixed_pointer(const ir::Address& address);
    bool is_bound(const Affine& form) { return bound_terms(form) == live_terms(form); }
    void prepare(const Affine& form, bool wraps = false);
    void prepare(const ir::Operation& operation);
    void prepare(const ir::Address& address);

    PtxAssembly& out_;
    const ir::Program& program_;
    const Usage& usage_;
    const PtxLayout& layout_;
    ir::VariableRanges ranges_;
    std::vector<Bound> bound_;       ///< by Variable
    std::vector<std::string> bases_; ///< address of index 0 minus the origin, by Buffer
    std::vector<Scope> scopes_;      ///< innermost last
};

/// form = left − right, where left has the terms with positive coefficients.
struct PtxSides {
    explicit PtxSides(const Affine& form);
    Affine left;
    Affine right;
};

/// Whether every value of a range fits 32 bits.
bool fits_32_bits(const std::optional<ir::Range>& range);

} // namespace swirl::emit
