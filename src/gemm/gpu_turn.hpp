#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/program.hpp"

/// Factors with their lines along the depth, for tensor cores that read them no other way.
namespace swirl::gemm {

/// A factor of a product as it is oriented: a matrix of steps, its rows, and lines, its columns.
struct GpuTurn {
    MatrixLayout layout; ///< as the factor lies
    Integer depth = 0;
    Integer lines = 0;
    Integer matrices = 1; ///< 1 where a batch shares it
    Number number = Number::float32;

    /// How it lies then, in a buffer of its own: one line after the other, one matrix after the other.
    MatrixLayout turned() const;
};
GpuTurn turn_of_a(const MatrixProduct& oriented);
GpuTurn turn_of_b(const MatrixProduct& oriented);

/// Where it is handed over: in a buffer `name`_turned.
ir::BufferInfo buffer_of_turned(const char* name, const GpuTurn& turn);

/// The kernel that brings a factor, `name`, there, by squares that go through shared memory.
ir::Program gpu_turn(const char* name, const GpuTurn& turn);

} // namespace swirl::gemm
