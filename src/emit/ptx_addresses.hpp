#pragma once

#include "emit/gpu_launch.hpp"
#include "emit/ptx_assembly.hpp"
#include "emit/ptx_layout.hpp"
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

/// An integer of 32 or 64 bits: a register or a literal.
struct PtxInteger {
    std::string text = "0";
    bool is_wide = false;
    bool is_literal = true;
};

/// Affine forms and addresses as registers, with few instructions:
///
/// - A form is of 32 bits where the extents of its variables prove that it fits, else of 64. As the index of an access,
///   which lies in its buffer, it is of 32 bits where the buffer's extent proves it.
/// - It is summed from the outermost variables to the innermost, and every partial sum is kept while its variables
///   live: what a loop does not change is computed before it, and forms that begin alike share that.
/// - The constant of an index is left out; it becomes the displacement in `[register+displacement]`.
class PtxAddresses {
public:
    PtxAddresses(PtxAssembly& out, const ir::Program& program, const Usage& usage, const PtxLayout& layout);

    /// Registers of the machine's indices, parameters and buffers that are used; at the start of the kernel.
    void declare();

    /// What is computed inside a scope is forgotten at its end.
    void open_scope() { scopes_.emplace_back(); }
    void close_scope() { scopes_.pop_back(); }
    /// A variable of the innermost scope.
    void bind(Variable variable, PtxInteger value);
    std::string digit_of(const std::string& index, const ir::VariableInfo& info);
    /// What `body` needs and does not change by itself, computed here: a loop follows.
    void prepare(const ir::Body& body);

    PtxInteger value(const Affine& form);
    /// Without the form's constant. `wraps`: modulo 2^32 will do.
    PtxInteger variable_part(const Affine& form, bool wraps = false);
    PtxInteger converted(const PtxInteger& number, bool wide);

    /// A register: the address without its index's constant; `dynamic` is the register of its dynamic index, if any.
    std::string pointer(const ir::Address& address, const std::string& dynamic);
    /// `[pointer+displacement]` of the lane at `lane_offset` elements from the address.
    std::string operand(const std::string& pointer, const ir::Address& address, Integer lane_offset);

    /// A register like `pointer`, wherever in the cluster the index lies; operands have no further offset.
    std::string computed_pointer(const ir::Address& address);
    /// A register like `pointer`, of another block's shared memory.
    std::string remote_pointer(const ClusterPlace& place);

    /// A register: the address of a tile in units of tile_piece_bytes, without its index's constant, as products of tiles want it.
    /// It is the same for all threads of a warp.
    std::string tile_pointer(const ir::Address& address);
    /// What `body`'s products need that is bound already, computed here.
    void prepare_tiles(const ir::Body& body);

    /// Bytes that the address of lane 0 is known to be a multiple of.
    Integer alignment(const ir::Address& address) const;

    ir::VariableRanges& ranges() { return ranges_; }
    const PtxPlace& place(ir::Buffer buffer) const {
        return layout_.places[static_cast<std::size_t>(buffer)];
    }

private:
    struct Bound {
        PtxInteger value;
        int depth = -1; ///< of its scope; −1: not bound
    };
    struct Scope {
        std::map<std::pair<Affine, bool>, PtxInteger> forms; ///< true: modulo 2^32
        std::map<std::tuple<ir::Buffer, Affine, bool>, std::string> pointers;
        std::map<std::pair<ir::Buffer, Affine>, std::string> tiles;
        std::map<std::pair<std::string, Affine>, std::string>
            remote; ///< by pointer in one's own block, and rank
    };

    Bound& bound(Variable variable) { return bound_[static_cast<std::size_t>(variable)]; }
    Integer element_size(ir::Buffer buffer) const;
    /// The form without its constant and without variables that are always 0.
    Affine live_terms(const Affine& form) const;
    /// The part of its terms whose variables are bound.
    Affine bound_terms(const Affine& form);
    PtxInteger multiply_add(const PtxInteger& factor, Integer coefficient, const PtxInteger& sum, bool wide);
    /// Whether 32 bits hold the index without its constant, wherever the access is made.
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
    std::vector<std::string> bases_; ///< address of index 0 less the origin, by Buffer
    std::vector<Scope> scopes_;      ///< innermost last
};

/// form = left − right: the terms with positive factors, and all else.
struct PtxSides {
    explicit PtxSides(const Affine& form);
    Affine left;
    Affine right;
};

/// Whether all values of a range are of 32 bits.
bool fits_32_bits(const std::optional<ir::Range>& range);

} // namespace swirl::emit
