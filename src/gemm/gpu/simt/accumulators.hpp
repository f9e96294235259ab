#pragma once

#include "gemm/gpu/simt/mma_fragments.hpp"
#include "gemm/gpu/simt/sliced_k.hpp"

#include <array>
#include <map>
#include <span>
#include <tuple>
#include <vector>

namespace swirl::gemm {

/// A thread's accumulators and the operands of one k step. In straight-line blocks they are values, elsewhere
/// registers.
class SimtAccumulators {
public:
    /// `scratch`: the k-tile memory through which slices exchange accumulators, if it is reused for that.
    SimtAccumulators(ir::Builder& builder, const CanonicalSimtGemm& gemm, const SimtThreadLayout& threads,
                     const target::Gpu& gpu, std::optional<ir::Buffer> scratch = {});

    void clear();

    /// Operands of one k step. An operand with k vectors is loaded in groups of k indices: `now` holds a group, by
    /// rows or columns, and `next` the elements of the next group loaded so far.
    struct Operands {
        std::array<std::vector<ir::Value>, 2>
            now; ///< by the thread's rows, its columns, or in fragment order
        std::array<std::vector<ir::Value>, 2> next;
    };
    /// Their source: k-tiles in shared memory.
    struct Source {
        const std::array<SmemTile, 2>& k_tiles;
        const std::array<ir::Buffer, 2>& buffers;
        Affine first_k; ///< of the thread's slice
    };
    /// Indices of the k-tiles of A and B in shared memory; no_value: the first.
    using StageIndices = std::array<ir::Value, 2>;
    /// For the first k step of a k-tile.
    Operands first_operands(const Source& source, const StageIndices& stages) const;
    /// For the k step after `k_step`, whose operands are given, in the same k-tile.
    Operands next_operands(const Source& source, const StageIndices& stages, int k_step,
                           const Operands& operand_registers) const;

    /// Loads values from registers, and stores them.
    std::vector<ir::Value> values() const;
    void keep(const std::vector<ir::Value>& accumulators);
    Operands operand_registers() const;
    void keep(const Operands& operand_registers);

    /// Accumulates k step `k_step` of the thread's slice.
    void multiply(std::vector<ir::Value>& accumulators, const Operands& operand_registers, int k_step) const;

    /// Accumulators are ordered by columns: a thread's rows are contiguous, real and imaginary components
    /// interleaved.
    std::size_t index_of(int row, int column) const {
        return static_cast<std::size_t>((column * schedule_.thread_tile.m + row) * components_);
    }
    int components() const { return components_; } ///< scalars per accumulator: two for complex numbers
    ir::Buffer registers() const { return accumulators_; }

    /// Reduces over all slices; each finishing slice receives its columns in registers. Executed by all threads.
    void reduce_k_slices();
    const SlicedKReduction& sliced_k_reduction() const { return sliced_k_reduction_; }
    int epilogue_k_slices() const { return epilogue_k_slices_; }

private:
    int count() const { return schedule_.thread_tile.m * schedule_.thread_tile.n * components_; }
    void add_imaginary(ir::Value& real, ir::Value& imaginary, std::span<const ir::Value> a,
                       std::span<const ir::Value> b) const;
    int mn_per_thread(std::size_t operand) const {
        return operand == 0 ? schedule_.thread_tile.m : schedule_.thread_tile.n;
    }
    /// k indices that a thread loads at once.
    int k_at_once(std::size_t operand) const {
        return SimtThreadLayout::k_at_once(schedule_,
                                           operand == 0 ? schedule_.a.vector_k : schedule_.b.vector_k);
    }
    int count_of_operands(std::size_t operand) const;
    Affine mn(std::size_t operand, int index) const {
        return operand == 0 ? threads_.row(index) : threads_.column(index);
    }
    std::vector<ir::Value> load(std::size_t operand, const Source& source, int k_step, ir::Value stage) const;
    std::vector<ir::Value> load_vectors(std::size_t operand, const Source& source, int k_step,
                                        ir::Value stage) const;
    void load_k_vectors(std::size_t operand, const Source& source, int k_step, ir::Value stage, int first,
                        int end, std::vector<ir::Value>& operand_registers) const;
    ir::Value load_swizzled(std::size_t operand, const Source& source, int k_step, ir::Value stage,
                            int k) const;
    ir::Value swizzled_chunk(std::size_t operand, const SmemTile& k_tile, Integer chunk,
                             ir::Value stage) const;
    std::vector<ir::Value> from(ir::Buffer registers, int count) const;
    void to(ir::Buffer registers, const std::vector<ir::Value>& values);

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const SimtThreadLayout& threads_;
    DataType scalar_;
    int components_;
    std::array<bool, 2> conjugated_; ///< A, B
    DataType
        operand_type_; ///< of the multiplied elements: the accumulators' type, or the type in memory for mma.sync
    MmaFragments fragments_;
    ir::Buffer accumulators_;
    std::array<ir::Buffer, 2> operand_registers_;
    SlicedKReduction sliced_k_reduction_;
    int epilogue_k_slices_; ///< that may have columns
    /// Cache of chunk offsets, by operand, chunk and k-tile index.
    mutable std::map<std::tuple<std::size_t, Integer, ir::Value>, ir::Value> swizzled_;
};

} // namespace swirl::gemm
