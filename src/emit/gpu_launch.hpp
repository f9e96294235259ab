#pragma once

#include "ir/program.hpp"
#include "ir/ranges.hpp"

/// What all back ends for GPUs ask of a program.
namespace swirl::emit {

/// Shared memory that a kernel may declare, in bytes; more has to be asked for when it is launched.
constexpr Integer largest_declared_shared = 48 * 1024;
/// The most that one thread moves at once, in bytes.
constexpr Integer widest_access = 16;

/// Numbers of 16 bits, which threads hold as float32.
constexpr bool is_short(ir::Scalar scalar) {
    return scalar == ir::Scalar::float16 || scalar == ir::Scalar::bfloat16;
}

/// InternalError for a program without a launch, and for one beyond what GPUs can do.
void expect_gpu_launch(const ir::Program& program);

/// Bytes that the address of lane 0 is known to be a multiple of, where that of index 0 is one of `base`.
Integer known_alignment(const ir::VariableRanges& ranges, const ir::Address& address, Integer base,
                        Integer element_bytes);

/// An address in memory that a cluster's blocks see: in which of them, and there.
struct ClusterPlace {
    Affine rank;
    ir::Address within;
    bool is_own = false;      ///< in the block that asks
    bool is_computed = false; ///< the block is not told by terms of the index, only by dividing it
};
ClusterPlace cluster_place(const ir::Program& program, const ir::VariableRanges& ranges,
                           const ir::Address& address);

/// The lanes from `lane` on that one instruction can move, where lane 0 is aligned to `alignment` bytes: a power of two,
/// `most` at most.
int lanes_at_once(const ir::Operation& operation, int lane, Integer alignment, int most);

} // namespace swirl::emit
