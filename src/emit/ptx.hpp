#pragma once

#include "ir/program.hpp"

#include <string>
#include <vector>

namespace swirl::emit {

struct PtxOptions {
    std::string target = "sm_80"; ///< what `.target` says: sm_70 or later; see needs_special_target
    std::string version = {};     ///< of PTX, such as "7.8"; empty: the earliest that knows the target
    Integer largest_embedded_table = 4096; ///< bytes; larger tables are passed like arguments
    /// Two arguments may be the same memory, as in place: what is only read under one name may be written under
    /// another, so arguments are not read through the cache for constant data.
    bool arguments_overlap = false;
    std::string comment = {}; ///< words at the head of the module
};

/// A parameter of the kernel, in the order of the launch.
struct PtxParameter {
    enum class Kind : std::uint8_t {
        buffer, ///< 64-bit address of index 0 of the buffer in global memory
        number, ///< 64-bit integer
        value,  ///< the numbers of a buffer that is passed by value, themselves
        tensor, ///< what the driver makes of a tensor, at a multiple of 64 bytes
    };
    Kind kind = Kind::buffer;
    int position = 0;  ///< in Program::buffers, among the integer parameters, or in Program::tensors
    Integer bytes = 8; ///< of the parameter
    bool operator==(const PtxParameter&) const = default;
};

/// What a launch needs beside Program::launch.
struct PtxInterface {
    std::string entry; ///< name of the kernel in the module
    std::vector<PtxParameter> parameters;
    Integer dynamic_shared_bytes = 0; ///< 0 unless shared memory exceeds what a module may declare (48 KiB)
};

/// A GPU program as one PTX module, which the CUDA driver compiles. Every operation means what ir::interpret says: each
/// result is rounded once, nothing is contracted, subnormal numbers are kept. Exceptions: conversions to int64 out of
/// its range saturate, and float32 atomics in global memory treat subnormal numbers as zero.
///
/// Buffers in global memory are parameters, unless only tensors are of them, then tensors, then the integer parameters;
/// small tables are global data of the module (not `.const`, whose cache serves one address at a time). Addresses passed
/// in must be multiples of what BufferInfo::alignment states, those of tables also of 16 bytes.
///
/// InternalError for a program without a launch, a launch beyond what GPUs can do, more than 16 lanes, and machine
/// instructions that are not moves of lanes.
std::string ptx(const ir::Program& program, const PtxOptions& options = {});

/// Whether instructions are of one compute capability alone, with a target such as sm_90a: products of tiles, and roles that exchange
/// registers.
bool needs_special_target(const ir::Program& program);

PtxInterface ptx_interface(const ir::Program& program, const PtxOptions& options = {});

} // namespace swirl::emit
