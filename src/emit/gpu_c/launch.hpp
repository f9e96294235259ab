#pragma once

#include "ir/program.hpp"
#include "ir/ranges.hpp"

/// What every GPU back end checks and derives from a program.
namespace swirl::emit {

/// Shared memory that a kernel may declare, in bytes; more must be requested at launch.
constexpr Integer largest_declared_shared = 48 * 1024;
/// Widest access of one thread, in bytes.
constexpr Integer widest_access = 16;

/// 16-bit floating-point types, which threads hold as float32.
constexpr bool is_short(DataType scalar) {
    return scalar == DataType::float16 || scalar == DataType::bfloat16;
}

/// InternalError for a program without a launch, or with one that exceeds the limits of GPUs.
void expect_gpu_launch(const ir::Program& program);

/// A known divisor, in bytes, of the address of lane 0, if `base` divides that of index 0.
Integer known_alignment(const ir::VariableRanges& ranges, const ir::Address& address, Integer base,
                        Integer element_bytes);

/// An address in distributed shared memory: the rank of the block in the cluster, and the address in it.
struct ClusterAddress {
    Affine rank;
    ir::Address within;
    bool is_own = false;      ///< in the accessing block
    bool is_computed = false; ///< the rank takes a division of the index; no terms of the index give it
};
ClusterAddress cluster_address(const ir::Program& program, const ir::VariableRanges& ranges,
                               const ir::Address& address);

/// Number of lanes, from `lane` on, that one instruction can move if lane 0 is aligned to `alignment` bytes: a power of
/// two, at most `most`.
int lanes_per_access(const ir::Operation& operation, int lane, Integer alignment, int most);

} // namespace swirl::emit
