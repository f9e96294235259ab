#pragma once

#include "gemm/gpu/epilogue/reduction.hpp"
#include "gemm/gpu/simt/layout.hpp"

#include <functional>
#include <vector>

namespace swirl::gemm {

/// A block's tile of C as reductions see it.
struct ReducedTile {
    ir::Value matrix = ir::no_value; ///< int64: index in the batch
    ir::Value row = ir::no_value;    ///< the first one
    ir::Value column = ir::no_value;
    Affine row_tile = {}, column_tile = {};
    Integer column_tiles = 1; ///< number of tiles along the columns
    Affine share = {};        ///< index among the blocks that hold some columns of each thread
    /// Forms of a position within the tile: nonnegative for rows, columns and matrices that this block owns. Others
    /// contribute nothing here.
    Affine own_row = {}, own_column = {}, own_matrix = {};
    bool has_shared_rows = false, has_shared_columns = false, has_spare_matrices = false;
};

/// Values of a thread that a block exchanges between two barriers.
constexpr int exchanged_at_once = 4;

/// Reductions over a tile in registers: per thread first, then across the block through shared memory.
class GpuBlockReductions {
public:
    /// Adds the buffers of partials to the program. `writer` provides the expressions; it must begin at the tile's
    /// origin.
    GpuBlockReductions(ir::Builder& builder, const SimtGemm& schedule, const MatrixProduct& canonical,
                       const GpuEpilogueWriter& writer, std::optional<KernelPath> path = {});

    /// Executed by all threads before any element is finished. `threads` and `tile` must outlive `finish`.
    void begin(const SimtThreadLayout& threads, const ReducedTile& tile);
    /// Accumulates a vector of c_vector_m finished elements at `coordinates`: the thread's i-th row and the next ones,
    /// of the j-th column that it writes.
    void take(int i, int j, const GpuEpilogueWriter::Coordinates& coordinates, ir::Value elements);
    /// Stores the block's partials; executed by all threads. `column(j)` is the j-th column's coordinate in the tile,
    /// j < columns.
    void finish(int columns, const std::function<Affine(int)>& column);

    /// A block stores one partial for its tile; other blocks of its cluster or cooperative group may add theirs for
    /// other columns of it.
    static ReductionPartials partials_of(const SimtGemm& schedule, const MatrixProduct& canonical, Over over);
    /// Bytes of shared memory needed.
    static Integer shared_bytes(const SimtGemm& schedule, const MatrixProduct& canonical);

private:
    struct One {
        ReductionPartials partials;
        ir::Buffer to = 0;
        ir::Buffer reduced = 0; ///< of a thread: by rows, by columns, or by vector lanes
    };
    const GpuReduction& reduction(std::size_t k) const { return writer_.epilogue().reductions[k]; }
    int registers(Over over) const;
    template <class Body> void in_first_k_slice(Body&& body);
    template <class Body> void under(bool may_fail, const Affine& form, Body&& body);
    /// Passes the values of threads that share indices to the first of these threads: `body(k, value)` for each
    /// value, in thread order.
    template <class Body>
    void exchange(Reduce operation, const std::vector<ir::Value>& values, const std::vector<Integer>& sharing,
                  const std::vector<ir::Condition>& is_first, Body&& body);
    void finish_rows(const One& one, const GpuReduction& reduction);
    void finish_columns(const One& one, const GpuReduction& reduction, int columns,
                        const std::function<Affine(int)>& column);
    void finish_all(const One& one, const GpuReduction& reduction);
    void store(const One& one, const Affine& partial, ir::Value first, const Affine& offset, ir::Value value);
    ir::Value first_of(Integer of_matrix, ir::Value in_matrix);

    ir::Builder& builder_;
    const SimtGemm& schedule_;
    const MatrixProduct& product_;
    const GpuEpilogueWriter& writer_;
    DataType scalar_;
    std::vector<One> all_;
    ir::Buffer others_ = 0; ///< in shared memory
    const SimtThreadLayout* threads_ = nullptr;
    ReducedTile tile_;
};

} // namespace swirl::gemm
