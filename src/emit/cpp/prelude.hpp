#pragma once

#include "emit/identifiers.hpp"
#include "emit/source_writer.hpp"
#include "ir/program.hpp"

#include <set>
#include <string>

namespace swirl::emit {

/// How emitted C++ spells the short vectors of the ir.
enum class CppVectors : std::uint8_t {
    scalar,     ///< a small class with loops: plain C++17 for any compiler
    extensions, ///< vector_size types of GCC and Clang; other compilers fall back to `scalar`
    neon,       ///< types and intrinsics of <arm_neon.h>: AArch64 only
};

/// The helpers that a file's functions use.
struct PreludeNeeds {
    std::set<ir::Type> types; ///< vector types, floating-point and int64
    bool load = false;        ///< contiguous, all lanes
    bool load_lanes = false;  ///< strided or with inactive lanes
    bool store = false;
    bool store_lanes = false;
    bool load_half = false; ///< contiguous, two of four floats
    bool store_half = false;
    bool splat = false;
    bool multiply_add = false;
    bool negated_multiply_add = false; ///< c − a·b as a function of its own
    bool square_root = false;          ///< this and the next: of vectors
    bool magnitude = false;
    bool power_of_two_32 = false; ///< of scalars
    bool power_of_two_64 = false;
    bool power_of_two = false; ///< of vectors
    bool shuffle = false;
    bool convert = false;
    bool less = false;
    bool select = false;

    bool any() const { return !types.empty() || power_of_two_32 || power_of_two_64; }
    /// Adds the helpers that one operation uses.
    void include(const ir::Program& program, const ir::Operation& operation, CppVectors vectors);
};

/// `double`, `f64x4`, …: the name of a type in emitted C++.
std::string cpp_type(ir::Type type);

/// The intrinsic of <arm_neon.h> that target/ lists for an instruction, if the file may use it; else empty.
std::string_view intrinsic_of(const ir::Operation& operation, CppVectors vectors);

/// Whether a load or store moves the first two of four contiguous floats, which NEON does in one instruction.
bool moves_half(const ir::Operation& operation, CppVectors vectors);

/// Reserves every name that the prelude may define.
void reserve_prelude_names(Identifiers& names);

/// Includes, vector types and their helpers.
void write_prelude(SourceWriter& out, const PreludeNeeds& needs, CppVectors vectors);

} // namespace swirl::emit
