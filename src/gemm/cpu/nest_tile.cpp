#include "gemm/cpu/nest_tile.hpp"

#include "base/integer.hpp"

#include <algorithm>

namespace swirl::gemm {

NestTile::NestTile(ir::Builder& builder, const LoopNest& nest, int rows, int columns, ir::Buffer accumulators)
    : builder_(builder),
      nest_(nest),
      type_{scalar_of(nest.product.data_type), nest.lanes},
      rows_(rows),
      columns_(columns),
      vectors_((columns + nest.lanes - 1) / nest.lanes),
      accumulators_(accumulators) {}

int NestTile::active(int vector) const { return std::min(type_.lanes, columns_ - vector * type_.lanes); }

/// f(offset of the accumulator in the buffer, row, vector)
template <class F> void NestTile::for_each_accumulator(F&& f) {
    for (int row = 0; row < rows_; ++row)
        for (int vector = 0; vector < vectors_; ++vector)
            f(static_cast<Integer>(at(row, vector)) * type_.lanes, row, vector);
}

void NestTile::load(ir::Buffer c, const Affine& origin, Integer row_stride) {
    for_each_accumulator([&](Integer offset, int row, int vector) {
        const Value accumulator = builder_.load(c, origin + (row * row_stride + vector * type_.lanes),
                                                {.lanes = type_.lanes, .active = active(vector)});
        builder_.store(accumulators_, offset, accumulator, {.lanes = type_.lanes});
    });
}

void NestTile::store(ir::Buffer c, const Affine& origin, Integer row_stride) {
    for_each_accumulator([&](Integer offset, int row, int vector) {
        const Value accumulator = builder_.load(accumulators_, offset, {.lanes = type_.lanes});
        builder_.store(c, origin + (row * row_stride + vector * type_.lanes), accumulator,
                       {.lanes = type_.lanes, .active = active(vector)});
    });
}

void NestTile::multiply(const TileOperand& a, const TileOperand& b, Integer k_extent) {
    const Integer whole = k_extent / nest_.unroll * nest_.unroll;
    if (whole > nest_.unroll)
        builder_.for_loop("k0", 0, whole, nest_.unroll, ir::For::Kind::serial,
                          [&](const Affine& k) { add_k_range(a, b, k, nest_.unroll); });
    else if (whole > 0)
        add_k_range(a, b, 0, nest_.unroll);
    if (whole < k_extent) add_k_range(a, b, whole, static_cast<int>(k_extent - whole));
}

/// A straight-line block of multiply-adds in the order of the loops k, i, j.
struct NestTile::StraightLineBlock {
    StraightLineBlock(NestTile& of, const TileOperand& rows_from, const TileOperand& vectors_from,
                      const Affine& begin, int k_count)
        : tile(of),
          builder(of.builder_),
          a(rows_from),
          b(vectors_from),
          first(begin),
          per_k(of.rows_ * of.vectors_),
          count(k_count * per_k),
          rows(static_cast<std::size_t>(k_count * of.rows_), ir::no_value),
          vectors(static_cast<std::size_t>(k_count * of.vectors_), ir::no_value),
          products(static_cast<std::size_t>(count), ir::no_value),
          accumulators(static_cast<std::size_t>(per_k)) {}

    MultiplyAdd multiply_add_at(int index) const {
        return {index / per_k, index % per_k / tile.vectors_, index % tile.vectors_};
    }
    Value& row(const MultiplyAdd& fma) {
        return rows[static_cast<std::size_t>(fma.k * tile.rows_ + fma.row)];
    }
    Value& vector(const MultiplyAdd& fma) {
        return vectors[static_cast<std::size_t>(fma.k * tile.vectors_ + fma.vector)];
    }

    void load(const MultiplyAdd& fma) {
        const int lanes = tile.type_.lanes;
        if (row(fma) == ir::no_value)
            row(fma) = builder.splat(
                builder.load(a.buffer, a.origin + a.k_stride * (first + fma.k) + a.stride * fma.row), lanes);
        if (vector(fma) == ir::no_value)
            vector(fma) = builder.load(
                b.buffer, b.origin + b.k_stride * (first + fma.k) + b.stride * fma.vector * lanes,
                {.lanes = lanes, .active = tile.active(fma.vector)});
    }
    void multiply(int index) {
        const MultiplyAdd fma = multiply_add_at(index);
        products[static_cast<std::size_t>(index)] = builder.multiply(row(fma), vector(fma));
    }
    void add(int index) {
        const MultiplyAdd fma = multiply_add_at(index);
        Value& accumulator = accumulators[tile.at(fma.row, fma.vector)];
        accumulator = tile.nest_.is_fused
                          ? builder.fma(row(fma), vector(fma), accumulator)
                          : builder.add(accumulator, products[static_cast<std::size_t>(index)]);
    }

    NestTile& tile;
    ir::Builder& builder;
    const TileOperand &a, &b;
    Affine first;
    int per_k, count;
    std::vector<Value> rows, vectors, products, accumulators;
};

void NestTile::add_k_range(const TileOperand& a, const TileOperand& b, const Affine& first, int k_count) {
    StraightLineBlock block(*this, a, b, first, k_count);
    for_each_accumulator([&](Integer offset, int row, int vector) {
        block.accumulators[at(row, vector)] = builder_.load(accumulators_, offset, {.lanes = type_.lanes});
    });
    const int behind = nest_.is_fused ? 0 : nest_.add_distance;
    int loaded = 0, multiplied = 0;
    for (int added = 0; added < block.count; ++added) {
        const int multiply_to = std::min(added + behind + 1, block.count);
        for (; loaded < std::min(multiply_to + nest_.load_distance, block.count); ++loaded)
            block.load(block.multiply_add_at(loaded));
        if (!nest_.is_fused)
            for (; multiplied < multiply_to; ++multiplied) block.multiply(multiplied);
        block.add(added);
    }
    for_each_accumulator([&](Integer offset, int row, int vector) {
        builder_.store(accumulators_, offset, block.accumulators[at(row, vector)], {.lanes = type_.lanes});
    });
}

} // namespace swirl::gemm
