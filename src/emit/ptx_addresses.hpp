#pragma once

#include "emit/ptx_assembly.hpp"
#include "emit/ptx_layout.hpp"
#include "emit/usage.hpp"
#include "ir/program.hpp"
#include "ir/ranges.hpp"

#include <map>
#include <string>
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
/// - A form is of 32 bits where the extents of its variables prove that it fits, else of 64.
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
    /// What `body` needs and does not change by itself, computed here: a loop follows.
    void prepare(const ir::Body& body);

    PtxInteger value(const Affine& form);
    /// Without the form's constant.
    PtxInteger variable_part(const Affine& form);
    PtxInteger converted(const PtxInteger& number, bool wide);
    /// `[register+displacement]` of the lane at `lane_offset` elements from the address.
    std::string operand(const ir::Address& address, const std::string& dynamic, Integer lane_offset);
    /// Register of an int64 value added to addresses, in bytes from the address without it.
    std::string pointer(const ir::Address& address, const std::string& dynamic);
    std::string operand(const std::string& pointer, const ir::Address& address, Integer lane_offset);

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
        std::map<Affine, PtxInteger> forms;
        std::map<std::pair<ir::Buffer, Affine>, std::string> pointers;
    };

    Bound& bound(Variable variable) { return bound_[static_cast<std::size_t>(variable)]; }
    Integer element_size(ir::Buffer buffer) const;
    /// The form without its constant and without variables that are always 0.
    Affine live_terms(const Affine& form) const;
    /// The part of its terms whose variables are bound.
    Affine bound_terms(const Affine& form);
    PtxInteger multiply_add(const PtxInteger& factor, Integer coefficient, const PtxInteger& sum, bool wide);
    std::string fixed_pointer(ir::Buffer buffer, const Affine& index);
    void prepare(const Affine& form);

    PtxAssembly& out_;
    const ir::Program& program_;
    const Usage& usage_;
    const PtxLayout& layout_;
    ir::VariableRanges ranges_;
    std::vector<Bound> bound_;       ///< by Variable
    std::vector<std::string> bases_; ///< address of index 0 less the origin, by Buffer
    std::vector<Scope> scopes_;      ///< innermost last
};

/// Whether all values of a range are of 32 bits.
bool fits_32_bits(const std::optional<ir::Range>& range);

} // namespace swirl::emit
