#pragma once

#include "gemm/gpu_fragments.hpp"

#include <array>
#include <span>
#include <vector>

namespace swirl::gemm {

/// A thread's sums, and the numbers of a step that it multiplies. Within a straight run they are values, elsewhere in registers.
class GpuSums {
public:
    GpuSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
            const MatrixProduct& oriented, const target::Gpu& gpu);

    void clear();

    /// A step's numbers of a piece of A and one of B, from shared memory.
    struct Factors {
        std::vector<ir::Value> a; ///< by the thread's rows, or as its fragments have them
        std::vector<ir::Value> b; ///< by its columns, likewise
    };
    /// Of step `step` in piece `number` (no_value: the first one).
    Factors load(const std::array<GpuPiece, 2>& pieces, const std::array<ir::Buffer, 2>& buffers,
                 const Affine& step, ir::Value number) const;

    /// Values from registers, and back.
    std::vector<ir::Value> values() const;
    void keep(const std::vector<ir::Value>& sums);
    Factors factors() const;
    void keep(const Factors& factors);

    /// Adds the products of a step.
    void multiply(std::vector<ir::Value>& sums, const Factors& factors) const;

    /// Sums are by columns: a thread's rows are next to each other, real and imaginary parts in turns.
    std::size_t place(int row, int column) const {
        return static_cast<std::size_t>((column * schedule_.thread_rows + row) * parts_);
    }
    int parts() const { return parts_; } ///< of a sum: of complex numbers two
    ir::Buffer registers() const { return sums_; }

    /// Those of all slices in the registers of the first one. All threads call it.
    void add_slices();

private:
    int count() const { return schedule_.thread_rows * schedule_.thread_columns * parts_; }
    void add_imaginary(ir::Value& real, ir::Value& imaginary, std::span<const ir::Value> a,
                       std::span<const ir::Value> b) const;
    int count_of_a() const;
    int count_of_b() const;
    std::vector<ir::Value> load_vectors(const GpuPiece& piece, ir::Buffer buffer, const Affine& step,
                                        ir::Value number, bool is_a) const;
    std::vector<ir::Value> from(ir::Buffer registers, int count) const;
    void to(ir::Buffer registers, const std::vector<ir::Value>& values);

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const GpuThreads& threads_;
    ir::Scalar scalar_;
    int parts_;
    std::array<bool, 2> conjugated_; ///< A, B
    ir::Scalar
        factor_; ///< of what is multiplied: sums' numbers, or as they are in memory where warps multiply
    GpuFragments fragments_;
    ir::Buffer sums_, a_, b_;
};

} // namespace swirl::gemm
