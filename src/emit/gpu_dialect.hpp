#pragma once

#include "emit/gpu_source.hpp"

#include <array>
#include <span>
#include <string_view>

namespace swirl::emit {

/// How a language for GPUs spells what differs between them. Fields with braces are formats of fmt.
struct GpuDialect {
    std::string_view name;
    std::string_view advice;      ///< how to compile, so that each operation rounds as the program says
    std::string_view kernel_head; ///< {name}, {cluster}, {bounds}, and {x}, {y}, {z}
    std::string_view cluster;     ///< what {cluster} is for one of {} blocks; empty: there are none
    std::string_view
        resident; ///< what is behind the threads in {bounds} for {} resident blocks; empty: nothing
    std::string_view function; ///< what stands before a helper function
    std::string_view pragmas;
    std::string_view float64_pragma; ///< where float64 is used

    std::string_view global; ///< what stands before a type for memory of each kind
    std::string_view shared;
    std::string_view shared_array;   ///< what an array in shared memory itself says
    std::string_view constant;       ///< what a pointer to a table says
    std::string_view constant_array; ///< what a table itself says
    std::string_view restricted;
    std::string_view aligned; ///< {} bytes
    Integer
        largest_shared; ///< bytes of shared memory that a kernel declares; 0: any. Else the launch allots it
    Integer largest_table; ///< bytes of a table in constants; 0: any. Larger ones are passed
    bool pointers_at_zero; ///< arguments point at index 0; else they begin with the lowest index

    std::array<std::string_view, 3> threads; ///< of type unsigned int
    std::array<std::string_view, 3> blocks;
    std::string_view barrier;        ///< orders shared memory
    std::string_view global_barrier; ///< global memory of the block too
    std::string_view cluster_barrier;
    std::string_view wide_integer; ///< 64 bits
    std::string_view wide_vector;  ///< stem of its vectors
    std::string_view vector;       ///< {type} and {lanes}
    std::string_view fma32;        ///< function
    std::string_view fma64;
    std::string_view divide32;      ///< {} and {}, correctly rounded where the language can say so
    std::string_view square_root32; ///< function
    std::string_view square_root64;
    std::string_view magnitude32;
    std::string_view magnitude64;
    std::string_view float32_of_bits; ///< {}
    std::string_view float64_of_bits; ///< {}
    std::string_view bits_of_float32; ///< {}
    std::string_view bits_of_float64; ///< {}
    std::string_view atomic_add;      ///< {pointer}, {value}; empty: there is none
    std::string_view atomic_add_wide; ///< of 64-bit integers

    bool has_ptx = false; ///< instructions of PTX may stand in the text

    std::string_view runtime;          ///< what the names of the host's functions begin with; empty: OpenCL
    std::string_view runtime_header;   ///< for #include
    std::string_view runtime_compiler; ///< macro of compilers at run time, which have no host

    std::string_view float16_helpers; ///< definitions of float16_value and float16_bits
    std::string_view
        cluster_helpers;            ///< of in_block: where another block of the cluster has what this one has
    std::string_view group_helpers; ///< of arrive and arrivals, by which blocks meet; empty: they cannot
    std::span<const std::string_view> reserved; ///< words that are no names
};

const GpuDialect& dialect_of(GpuLanguage language);

} // namespace swirl::emit
