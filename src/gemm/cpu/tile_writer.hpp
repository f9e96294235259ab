#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/cpu/tile.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/operand_types.hpp"
#include "ir/builder.hpp"

#include <vector>

namespace swirl::gemm {

/// How C is updated from a product P.
enum class Update : std::uint8_t {
    overwrite, ///< C = α·P; C is not read
    add,       ///< C = α·P + C
    scale,     ///< C = α·P + β·C
};

/// A tile's operand: A, whose rows are contiguous, or B. Distances are in scalars.
struct TileOperand {
    ir::Buffer buffer = 0;
    Affine origin = {};           ///< k = 0, first row or column, real component
    Integer k_stride = 0;         ///< from one k index to the next
    Integer stride = 1;           ///< from one column of B to the next
    Integer component_stride = 0; ///< from real to imaginary components
    bool conjugated = false;      ///< the stored elements are those of B's conjugate
    bool is_padded = false;       ///< A is a panel: padded with rows up to the next k
    Integer prefetch_rows = 0;    ///< prefetch distance in A, in elements; 0: none
};

/// A panel to prefetch: one cache line per iteration, from its beginning.
struct NextPanel {
    ir::Buffer buffer = 0;
    bool is_wanted = false;
};

/// A tile's C; complex numbers are interleaved.
struct TileResult {
    ir::Buffer buffer = 0;
    Affine origin = {};
    Integer row_stride = 1; ///< elements from one row to the next; 1 for complex numbers
    /// Scalars from one column to the next: a constant or a kernel argument.
    Affine column_stride = {};
    Affine columns_before = {}; ///< columns from the origin to the tile
    ir::Buffer alpha = 0;
    ir::Buffer beta = 0;
    Integer beta_offset = 0; ///< in its buffer
    bool is_plain = false;   ///< α is one
    /// The epilogue, and the tile's first row and column as its operands index them.
    const EpilogueBuffers* epilogue = nullptr;
    ir::Buffer finished =
        0; ///< destination of epilogue results as float32, for int32 accumulators: the same memory as `buffer`
    Affine first_row = {};
    Affine first_column = {};
};

/// Appends the code of one tile of C; its accumulators stay in registers over all of K.
class TileWriter {
public:
    /// A tile of `rows` × `columns`. `accumulators` is a local buffer of at least accumulator_scalars() scalars.
    TileWriter(ir::Builder& builder, DataType data_type, int lanes, int rows, int columns,
               ir::Buffer accumulators, const KPacking& k_packing = {});

    static Integer accumulator_scalars(DataType data_type, const Tile& tile) {
        return Integer{scalars_in(data_type)} * tile.rows() * tile.columns;
    }

    /// Zeroes the accumulators; from now on loops may add to them.
    void clear();
    /// The same, but accumulators start from int32 values in a buffer, one per column.
    void start_from(ir::Buffer buffer, const Affine& first);
    /// Accumulates k in begin … end − 1, a multiple of `unroll` long, in a loop.
    void multiply(const TileOperand& a, const TileOperand& b, const Affine& begin, const Affine& end,
                  int unroll, const NextPanel& next_panel = {});
    /// Accumulates `k_count` k indices without a loop.
    void multiply_straight(const TileOperand& a, const TileOperand& b, const Affine& begin, int k_count);
    /// Takes finished real accumulators from `buffer`: a vector of a column is at offset(vector, column).
    template <class Offset> void read_accumulators(ir::Buffer buffer, Offset&& offset) {
        for (int column = 0; column < columns_; ++column)
            for (int vector = 0; vector < vectors_; ++vector)
                accumulator(0, vector, column) =
                    builder_.load(buffer, offset(vector, column), {.lanes = type_.lanes});
    }
    /// Takes a finished accumulator from somewhere else; no loop may have begun.
    void set_accumulator(int component, int vector, int column, ir::Value value) {
        accumulator(component, vector, column) = value;
    }
    void update(const TileResult& c, Update update);
    /// Every cache line of the tile, for any alignment of the columns.
    void prefetch(const TileResult& c);

private:
    using Value = ir::Value;

    int active(int vector) const;
    Value& accumulator(int component, int vector, int column);
    Affine offset(std::size_t accumulator) const { return static_cast<Integer>(accumulator) * type_.lanes; }
    void load_accumulators();
    void store_accumulators();
    void multiply_k(const TileOperand& a, const TileOperand& b, const Affine& k);
    void multiply_add(const Components& row, Value b_value, int component, bool negated, int vector,
                      int column);
    Value dot_product(Value row, Value b_value, Value accumulator);
    Components broadcast_scalar(ir::Buffer buffer, Integer offset);
    Components product(const Components& x, const Components& y, const Components* z);
    Components updated(const TileResult& c, Update update, const Components& accumulators,
                       const Components& alpha, const Components& beta, const Components& before);
    Value column_start(const TileResult& c, int column);
    Affine c_offset(const TileResult& c, int vector, int column) const;
    Components load_c(const TileResult& c, int vector, int column, Value start);
    void store_c(const TileResult& c, int vector, int column, Value start, const Components& components);

    ir::Builder& builder_;
    int components_;
    int rows_;
    int columns_;
    int vectors_;
    ir::Type type_; ///< of accumulators
    KPacking k_packing_;
    ir::Buffer in_registers_;
    bool is_looping_ = false; ///< accumulators are in the buffer, not in values
    std::vector<Value> accumulators_;
};

} // namespace swirl::gemm
