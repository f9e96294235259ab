#pragma once

#include "gemm/gpu_fragments.hpp"
#include "gemm/gpu_slice_sums.hpp"

#include <array>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace swirl::gemm {

/// A thread's sums, and the numbers of a step that it multiplies. Within a straight run they are values, elsewhere in registers.
class GpuSums {
public:
    /// `room`: memory of pieces by which slices exchange sums, if it is to be there.
    GpuSums(ir::Builder& builder, const GpuSchedule& schedule, const GpuThreads& threads,
            const MatrixProduct& oriented, const target::Gpu& gpu, std::optional<ir::Buffer> room = {});

    void clear();

    /// The numbers of A and of B that a step multiplies. Of an operand whose steps are loaded together they are those of a group of
    /// steps, by lines, and as far as they are there those of the next group.
    struct Factors {
        std::array<std::vector<ir::Value>, 2>
            now; ///< by the thread's rows, its columns, or as its fragments have them
        std::array<std::vector<ir::Value>, 2> next;
    };
    /// Where they come from: pieces in shared memory.
    struct Source {
        const std::array<GpuPiece, 2>& pieces;
        const std::array<ir::Buffer, 2>& buffers;
        Affine first_step; ///< of the thread's slice
    };
    /// Which of the pieces in shared memory those of A and of B are; no_value: the first.
    using Numbers = std::array<ir::Value, 2>;
    /// Of the first steps of a piece.
    Factors first_factors(const Source& source, const Numbers& numbers) const;
    /// Of the step after `step`, which has those `factors`, in the same piece.
    Factors next_factors(const Source& source, const Numbers& numbers, int step,
                         const Factors& factors) const;

    /// Values from registers, and back.
    std::vector<ir::Value> values() const;
    void keep(const std::vector<ir::Value>& sums);
    Factors factors() const;
    void keep(const Factors& factors);

    /// Adds the products of the thread's step of that number in its slice.
    void multiply(std::vector<ir::Value>& sums, const Factors& factors, int step) const;

    /// Sums are by columns: a thread's rows are next to each other, real and imaginary parts in turns.
    std::size_t place(int row, int column) const {
        return static_cast<std::size_t>((column * schedule_.thread_rows + row) * parts_);
    }
    int parts() const { return parts_; } ///< of a sum: of complex numbers two
    ir::Buffer registers() const { return sums_; }

    /// Those of all slices: in the registers of each of the finishing slices that of its columns. All threads call it.
    void add_slices();
    const GpuSliceSums& slice_sums() const { return slice_sums_; }
    int finishing_slices() const { return finishing_slices_; }

private:
    int count() const { return schedule_.thread_rows * schedule_.thread_columns * parts_; }
    void add_imaginary(ir::Value& real, ir::Value& imaginary, std::span<const ir::Value> a,
                       std::span<const ir::Value> b) const;
    int lines(std::size_t operand) const {
        return operand == 0 ? schedule_.thread_rows : schedule_.thread_columns;
    }
    /// Steps that a thread loads together.
    int steps_at_once(std::size_t operand) const {
        return GpuThreads::steps_at_once(schedule_, operand == 0 ? schedule_.a_steps : schedule_.b_steps);
    }
    int count_of_factors(std::size_t operand) const;
    Affine line(std::size_t operand, int number) const {
        return operand == 0 ? threads_.row(number) : threads_.column(number);
    }
    std::vector<ir::Value> load(std::size_t operand, const Source& source, int step, ir::Value number) const;
    std::vector<ir::Value> load_vectors(std::size_t operand, const Source& source, int step,
                                        ir::Value number) const;
    void load_lines(std::size_t operand, const Source& source, int step, ir::Value number, int first, int end,
                    std::vector<ir::Value>& factors) const;
    ir::Value load_exchanged(std::size_t operand, const Source& source, int step, ir::Value number,
                             int k) const;
    ir::Value exchanged_chunk(std::size_t operand, const GpuPiece& piece, Integer chunk,
                              ir::Value number) const;
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
    ir::Buffer sums_;
    std::array<ir::Buffer, 2> factors_;
    GpuSliceSums slice_sums_;
    int finishing_slices_; ///< that may have columns
    /// Places of chunks that are computed already, by operand, chunk and the piece's number.
    mutable std::map<std::tuple<std::size_t, Integer, ir::Value>, ir::Value> exchanged_;
};

} // namespace swirl::gemm
