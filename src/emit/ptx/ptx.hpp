#pragma once

#include "ir/program.hpp"

#include <string>
#include <vector>

namespace swirl::emit {

struct PtxOptions {
    std::string target = "sm_80"; ///< operand of `.target`: sm_70 or later; see needs_special_target
    std::string version = {};     ///< of PTX, such as "7.8"; empty: the earliest that supports the target
    Integer largest_embedded_table = 4096; ///< bytes; larger tables are passed as arguments
    /// Arguments may alias, as in place: memory read under one name may be written under another, so arguments are not
    /// read through the read-only data cache.
    bool arguments_overlap = false;
    /// Programmatic dependent launch, on sm_90 or later: the kernel may start before the one that precedes it in the
    /// stream has ended, and waits for that before any access to memory; the one that follows may start once all of this
    /// kernel's blocks have started.
    bool starts_early = false;
    bool lets_next_start = false;
    std::string comment = {}; ///< comment at the head of the module
};

/// A parameter of the kernel, in launch order.
struct PtxParameter {
    enum class Kind : std::uint8_t {
        buffer,  ///< 64-bit address of element 0 of the buffer in global memory
        integer, ///< 64-bit integer
        value,   ///< the elements of a buffer passed by value
        tensor,  ///< the driver's tensor map (CUtensorMap), aligned to 64 bytes
    };
    Kind kind = Kind::buffer;
    int position = 0;  ///< in Program::buffers, among the integer parameters, or in Program::tensors
    Integer bytes = 8; ///< of the parameter
    bool operator==(const PtxParameter&) const = default;
};

/// What a launch needs in addition to Program::launch.
struct PtxInterface {
    std::string entry; ///< name of the kernel in the module
    std::vector<PtxParameter> parameters;
    Integer dynamic_shared_bytes = 0; ///< 0 unless shared memory exceeds what a module may declare (48 KiB)
};

/// Emits a GPU program as one PTX module, which the CUDA driver compiles. Every operation means what ir::interpret
/// says: each result is rounded once, nothing is contracted, subnormals are kept. Exceptions: out-of-range conversions
/// to int64 saturate, and float32 atomics in global memory flush subnormals to zero.
///
/// Parameters are the buffers in global memory, except those accessed through tensors only, then the tensors, then the
/// integer parameters. Small tables are global data of the module (not `.const`, whose cache serves one address at a
/// time). Passed addresses must be multiples of BufferInfo::alignment, those of tables also of 16 bytes.
///
/// InternalError for a program without a launch, a launch that exceeds GPU limits, more than 16 lanes, and target
/// instructions other than lane shuffles.
std::string ptx(const ir::Program& program, const PtxOptions& options = {});

/// Whether the program uses instructions of a single compute capability, with a target such as sm_90a: wgmma, and
/// warp-specialized roles that exchange registers (setmaxnreg).
bool needs_special_target(const ir::Program& program);

PtxInterface ptx_interface(const ir::Program& program, const PtxOptions& options = {});

} // namespace swirl::emit
