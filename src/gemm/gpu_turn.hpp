#pragma once

#include "gemm/gpu_schedule.hpp"
#include "ir/program.hpp"

/// B with its columns along the depth, for tensor cores that read it no other way.
namespace swirl::gemm {

/// How B of a product as it is oriented lies then, in a buffer of its own: one after the other those of a batch.
MatrixLayout turned_layout(const MatrixProduct& oriented);

/// Where it is handed over: in a buffer `name`_turned.
ir::BufferInfo buffer_of_turned(const char* name, const MatrixProduct& oriented);

/// The kernel that brings B, `name`, there, by squares that go through shared memory.
ir::Program gpu_turn(const char* name, const MatrixProduct& oriented);

} // namespace swirl::gemm
