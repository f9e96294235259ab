#pragma once

#include "emit/gpu_c/source.hpp"

#include <array>
#include <span>
#include <string_view>

namespace swirl::emit {

/// What differs in spelling between GPU languages. Fields with braces are fmt format strings.
struct GpuDialect {
    std::string_view name;
    std::string_view advice;      ///< compiler flags with which each operation rounds as the program says
    std::string_view kernel_head; ///< {name}, {cluster}, {bounds}, and {x}, {y}, {z}
    std::string_view cluster;     ///< {cluster} for clusters of {} blocks; empty: the language has none
    std::string_view
        resident; ///< what follows the threads in {bounds} for {} resident blocks; empty: nothing
    std::string_view function; ///< qualifier of a helper function
    std::string_view pragmas;
    std::string_view float64_pragma; ///< written if float64 is used

    std::string_view global; ///< qualifier of a pointer to memory of each kind
    std::string_view shared;
    std::string_view shared_array;   ///< qualifier of an array in shared memory
    std::string_view constant;       ///< qualifier of a pointer to a table
    std::string_view constant_array; ///< qualifier of a table
    std::string_view restricted;
    std::string_view aligned; ///< {} bytes
    Integer
        largest_shared; ///< bytes of shared memory that a kernel may declare; 0: any. Beyond, the launch allocates it
    Integer largest_table; ///< bytes of a table in constant memory; 0: any. Larger tables are passed
    bool pointers_at_zero; ///< arguments point to index 0; else to the lowest index

    std::array<std::string_view, 3> threads; ///< of type unsigned int
    std::array<std::string_view, 3> blocks;
    std::string_view barrier;        ///< orders shared memory
    std::string_view global_barrier; ///< also orders the block's accesses to global memory
    std::string_view cluster_barrier;
    std::string_view wide_integer; ///< 64 bits
    std::string_view wide_vector;  ///< stem of the names of its vectors
    std::string_view vector;       ///< {type} and {lanes}
    std::string_view fma32;        ///< function name
    std::string_view fma64;
    std::string_view divide32;      ///< {} and {}; correctly rounded where the language guarantees it
    std::string_view square_root32; ///< function name
    std::string_view square_root64;
    std::string_view magnitude32;
    std::string_view magnitude64;
    std::string_view float32_of_bits; ///< {}
    std::string_view float64_of_bits; ///< {}
    std::string_view bits_of_float32; ///< {}
    std::string_view bits_of_float64; ///< {}
    std::string_view atomic_add;      ///< {pointer}, {value}; empty: there is none
    std::string_view atomic_add_wide; ///< of 64-bit integers

    bool has_ptx = false; ///< the text may contain PTX instructions

    std::string_view runtime;          ///< prefix of the runtime API's functions; empty: OpenCL
    std::string_view runtime_header;   ///< for #include
    std::string_view runtime_compiler; ///< macro that runtime compilers define; they see no host code

    std::string_view float16_helpers; ///< definitions of float16_value and float16_bits
    std::string_view
        cluster_helpers; ///< definition of in_block: maps an address to the same offset in another block of the cluster
    std::string_view
        cooperative_helpers; ///< definitions of arrive and arrivals, for the grid barrier; empty: none
    std::span<const std::string_view> reserved; ///< words that cannot be names
};

const GpuDialect& dialect_of(GpuLanguage language);

} // namespace swirl::emit
