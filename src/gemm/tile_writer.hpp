#pragma once

#include "gemm/complex_lanes.hpp"
#include "gemm/epilogue.hpp"
#include "gemm/numbers.hpp"
#include "gemm/tile.hpp"
#include "ir/builder.hpp"

#include <vector>

namespace swirl::gemm {

/// What becomes of C where a product P is ready.
enum class Update : std::uint8_t {
    overwrite, ///< C = α·P; C is not read
    add,       ///< C = α·P + C
    scale,     ///< C = α·P + β·C
};

/// Where a tile finds A, whose rows are next to each other, or B. Distances are in scalars.
struct TileOperand {
    ir::Buffer buffer = 0;
    Affine origin = {};        ///< of step 0, its first row or column, its real part
    Integer depth_stride = 0;  ///< from one step to the next
    Integer stride = 1;        ///< from one column of B to the next
    Integer part_stride = 0;   ///< from real to imaginary parts
    bool conjugated = false;   ///< B's numbers are the conjugates of what is there
    bool is_padded = false;    ///< of A: it is a panel, with rows beyond the last, up to the next step's
    Integer prefetch_rows = 0; ///< A's numbers so much further are fetched with these; 0: none
};

/// What is to be in cache soon: with each iteration along the depth one more line is fetched, from the beginning on.
struct TileAhead {
    ir::Buffer buffer = 0;
    bool is_wanted = false;
};

/// Where it finds C, whose rows are next to each other, complex numbers in pairs.
struct TileResult {
    ir::Buffer buffer = 0;
    Affine origin = {};
    /// Scalars from one column to the next: a constant, or of a kernel's argument.
    Affine column_stride = {};
    Affine columns_before = {}; ///< columns from the origin to the tile
    ir::Buffer alpha = 0;
    ir::Buffer beta = 0;
    Integer beta_place = 0; ///< in its buffer
    bool is_plain = false;  ///< α is one
    /// What is done to the elements before they are stored, and the tile's first row and column as its operands count.
    const EpilogueBuffers* epilogue = nullptr;
    ir::Buffer finished =
        0; ///< where they go then, as float32, if sums are int32: the same memory as `buffer`
    Affine first_row = {};
    Affine first_column = {};
};

/// Appends what computes one tile of C: its sums stay in registers from the first step to the last.
class TileWriter {
public:
    /// A tile of so many rows and columns. `sums` is a local buffer of at least sums_needed() scalars.
    TileWriter(ir::Builder& builder, Number number, int lanes, int rows, int columns, ir::Buffer sums,
               const Grouping& grouping = {});

    static Integer sums_needed(Number number, const Tile& tile) {
        return Integer{scalars_in(number)} * tile.rows() * tile.columns;
    }

    /// From now on loops may add to the sums; before, they are zero.
    void clear();
    /// The same, but sums begin as int32 in a buffer, one for each column.
    void start_from(ir::Buffer buffer, const Affine& first);
    /// Adds the products of the steps begin … end − 1, a multiple of `unroll`, in a loop.
    void multiply(const TileOperand& a, const TileOperand& b, const Affine& begin, const Affine& end,
                  int unroll, const TileAhead& ahead = {});
    /// Adds those of so many steps without a loop.
    void multiply_straight(const TileOperand& a, const TileOperand& b, const Affine& begin, int steps);
    /// The sums are computed already: a vector of a column's is in `buffer` from place(vector, column) on. Of real numbers.
    template <class Place> void read_sums(ir::Buffer buffer, Place&& place) {
        for (int column = 0; column < columns_; ++column)
            for (int vector = 0; vector < vectors_; ++vector)
                sum(0, vector, column) = builder_.load(buffer, place(vector, column), {.lanes = type_.lanes});
    }
    void update(const TileResult& c, Update update);
    /// Every line of the tile, wherever in a line a column begins.
    void prefetch(const TileResult& c);

private:
    using Value = ir::Value;

    int active(int vector) const;
    Value& sum(int part, int vector, int column);
    Affine place(std::size_t sum) const { return static_cast<Integer>(sum) * type_.lanes; }
    void load_sums();
    void store_sums();
    void multiply_step(const TileOperand& a, const TileOperand& b, const Affine& k);
    void multiply_add(const Parts& row, Value factor, int part, bool negated, int vector, int column);
    Value dot_product(Value row, Value factor, Value sum);
    Parts factor(ir::Buffer buffer, Integer place);
    Parts product(const Parts& x, const Parts& y, const Parts* z);
    Parts updated(const TileResult& c, Update update, const Parts& sums, const Parts& alpha,
                  const Parts& beta, const Parts& before);
    Value column_start(const TileResult& c, int column);
    Affine place_in(const TileResult& c, int vector, int column) const;
    Parts load_c(const TileResult& c, int vector, int column, Value start);
    void store_c(const TileResult& c, int vector, int column, Value start, const Parts& parts);

    ir::Builder& builder_;
    int parts_;
    int rows_;
    int columns_;
    int vectors_;
    ir::Type type_; ///< of sums
    Grouping grouping_;
    ir::Buffer in_registers_;
    bool is_looping_ = false; ///< the sums are in the buffer, not in values
    std::vector<Value> sums_;
};

} // namespace swirl::gemm
