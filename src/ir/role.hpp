#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace swirl::ir {

/// What a kernel's memory or integer argument is to the problem. Launchers bind arguments by it, never by names, which
/// are only printed.
enum class ArgumentRole : std::uint8_t {
    none,       ///< of the kernel alone: registers, shared memory, loop variables
    input,      ///< read
    output,     ///< written
    data,       ///< input and output in one
    a,          ///< operand A of a matrix multiplication, as the caller stores it or packed
    b,          ///< operand B
    c,          ///< C, read if β is not 0
    a_pointers, ///< addresses of the matrices A of a pointer-array batch
    b_pointers, ///< of B
    c_pointers, ///< of C
    alpha,      ///< α
    beta,       ///< β
    alpha_beta, ///< α, then β
    auxiliary,  ///< an array of callbacks, of an epilogue or of a convolution: `index` in the problem's list
    reduction,  ///< the results of reduction `index`
    prefetched, ///< memory that the caller uses next; the kernel does not read it
    table,      ///< constant data that travels with the kernel
    workspace,  ///< contents undefined on entry, or left by an earlier kernel of the plan
    multiplies, ///< an integer: 1, or 0 if A and B are not read
    reads_c,    ///< an integer: 1, or 0 if C is not read
};

/// What a table holds.
enum class TableKind : std::uint8_t {
    none,        ///< no table, or one of its own kind
    twiddles,    ///< twiddle factors and other diagonals
    constants,   ///< vectors of constants
    index_table, ///< offsets, for permutations that no affine form describes
    joined,      ///< several tables, one after the other
};

/// The components of a complex array in a buffer.
enum class Component : std::uint8_t { both, real, imaginary };

struct Role {
    ArgumentRole argument = ArgumentRole::none;
    int index = 0; ///< of an auxiliary array, of a reduction, or among the kernel's tables of a kind
    Component component = Component::both;
    TableKind table = TableKind::none;
    bool operator==(const Role&) const = default;
};

/// "input", "a", "reduction".
std::string_view name_of(ArgumentRole role);

/// "twiddles", "index_table".
std::string_view name_of(TableKind kind);

/// "" for both components, else "_re" or "_im".
std::string_view suffix_of(Component component);

/// "input", "auxiliary 1", "input, real".
std::string to_string(const Role& role);

} // namespace swirl::ir
