#pragma once

#include "gemm/gpu_layout.hpp"
#include "gemm/gpu_reduction.hpp"

#include <functional>
#include <vector>

namespace swirl::gemm {

/// Of a block's tile of C, what reductions want to know.
struct GpuReducedTile {
    ir::Value matrix = ir::no_value; ///< int64: its number
    ir::Value row = ir::no_value;    ///< the first one
    ir::Value column = ir::no_value;
    Affine row_tile = {}, column_tile = {};
    Integer column_tiles = 1; ///< that there are
    Affine share = {};        ///< of the blocks that have some columns of each thread's
    /// Rows, columns and matrices that are the block's own are nonnegative here, their places in the tile added; those of others are
    /// without elements here.
    Affine own_row = {}, own_column = {}, own_matrix = {};
    bool has_shared_rows = false, has_shared_columns = false, has_spare_matrices = false;
};

/// Reductions over a tile whose elements are in threads' registers: first each thread's, then by shared memory those of a block.
class GpuBlockReductions {
public:
    /// Adds the buffers of parts to the program. `writer` has the expressions, and has to begin where the tile does.
    GpuBlockReductions(ir::Builder& builder, const GpuSchedule& schedule, const MatrixProduct& oriented,
                       const GpuEpilogueWriter& writer, std::optional<GpuRangeSide> side = {});

    /// What all threads do before elements are finished: `threads` and `tile` have to stay until `finish`.
    void begin(const GpuThreads& threads, const GpuReducedTile& tile);
    /// A vector of c_lanes finished elements, of the thread's i-th row on and of the j-th of the columns that it writes, at this place.
    void take(int i, int j, const GpuEpilogueWriter::Place& place, ir::Value elements);
    /// Leaves the block's parts. All its threads call it. `column(j)` is the place in the tile of the j-th column, of so many.
    void finish(int columns, const std::function<Affine(int)>& column);

    /// A block leaves one for its tile, of some columns of which other blocks of its cluster or group may leave theirs.
    static GpuResultParts parts_of(const GpuSchedule& schedule, const MatrixProduct& oriented, Over over);
    /// Bytes of shared memory that this takes.
    static Integer shared_bytes(const GpuSchedule& schedule, const MatrixProduct& oriented);

private:
    struct One {
        GpuResultParts parts;
        ir::Buffer to = 0;
        ir::Buffer reduced = 0; ///< a thread's: by rows, by columns, or by lanes of a vector
    };
    const GpuReduction& reduction(std::size_t k) const { return writer_.epilogue().reductions[k]; }
    int registers(Over over) const;
    template <class Body> void in_first_slice(Body&& body);
    template <class Body> void under(bool may_fail, const Affine& form, Body&& body);
    /// What threads that share some numbers have, in this order, to the first of them: `body(k, value)` for each number.
    template <class Body>
    void exchange(Reduce operation, const std::vector<ir::Value>& values, const std::vector<Integer>& sharing,
                  const std::vector<ir::Condition>& is_first, Body&& body);
    void finish_rows(const One& one, const GpuReduction& reduction);
    void finish_columns(const One& one, const GpuReduction& reduction, int columns,
                        const std::function<Affine(int)>& column);
    void finish_all(const One& one, const GpuReduction& reduction);
    void store(const One& one, const Affine& part, ir::Value first, const Affine& place, ir::Value value);
    ir::Value first_of(Integer of_matrix, ir::Value in_matrix);

    ir::Builder& builder_;
    const GpuSchedule& schedule_;
    const MatrixProduct& product_;
    const GpuEpilogueWriter& writer_;
    ir::Scalar scalar_;
    std::vector<One> all_;
    ir::Buffer others_ = 0; ///< shared
    const GpuThreads* threads_ = nullptr;
    GpuReducedTile tile_;
};

} // namespace swirl::gemm
