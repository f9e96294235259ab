#pragma once

#include "gemm/cpu/small_gemm.hpp"

/// GEMM with lanes along K, for products with few rows or few columns: an element of C is a dot product, whose partial sums
/// lie in the lanes of accumulators until K ends. So a matrix that is contiguous along K is read as it lies in memory.
namespace swirl::gemm {

/// Why a problem has no such kernel; empty if it has one.
std::string_view dot_gemm_infeasibility(const MatrixProduct& product);

/// Vector registers of a tile: its accumulators, and operands.
int dot_registers(const DotGemm& schedule, DataType data_type);

/// Whether A, or B, is copied first, so that it is contiguous along K.
bool dot_packs_a(const MatrixProduct& product);
bool dot_packs_b(const MatrixProduct& product);

/// Bytes of `packed`: vectors along K, for each of them all rows of A or all columns of B; zeros pad the last ones.
Integer dot_packed_bytes(const MatrixProduct& product, const DotGemm& schedule);

/// Tile and loop order from the extents and the target's parameters.
DotGemm model_dot(const MatrixProduct& product, const target::Cpu& cpu);

/// The program, with the buffers of small_gemm(). The bits of an element of C depend on K, `lanes`, `chains` and `kc`
/// alone.
ir::Program dot_gemm(const SmallGemm& small, const DotGemm& schedule);

} // namespace swirl::gemm
