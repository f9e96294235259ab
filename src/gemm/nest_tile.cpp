#include "gemm/nest_tile.hpp"

#include "base/integer.hpp"

#include <algorithm>

namespace swirl::gemm {

NestTile::NestTile(ir::Builder& builder, const LoopNest& nest, int rows, int columns, ir::Buffer sums)
    : builder_(builder),
      nest_(nest),
      type_{scalar_of(nest.product.number), nest.lanes},
      rows_(rows),
      columns_(columns),
      vectors_((columns + nest.lanes - 1) / nest.lanes),
      sums_(sums) {}

int NestTile::active(int vector) const { return std::min(type_.lanes, columns_ - vector * type_.lanes); }

/// f(place of the sum in the buffer, row, vector)
template <class F> void NestTile::each_sum(F&& f) {
    for (int row = 0; row < rows_; ++row)
        for (int vector = 0; vector < vectors_; ++vector)
            f(static_cast<Integer>(at(row, vector)) * type_.lanes, row, vector);
}

void NestTile::load(ir::Buffer c, const Affine& origin, Integer row_stride) {
    each_sum([&](Integer place, int row, int vector) {
        const Value sum = builder_.load(c, origin + (row * row_stride + vector * type_.lanes),
                                        {.lanes = type_.lanes, .active = active(vector)});
        builder_.store(sums_, place, sum, {.lanes = type_.lanes});
    });
}

void NestTile::store(ir::Buffer c, const Affine& origin, Integer row_stride) {
    each_sum([&](Integer place, int row, int vector) {
        const Value sum = builder_.load(sums_, place, {.lanes = type_.lanes});
        builder_.store(c, origin + (row * row_stride + vector * type_.lanes), sum,
                       {.lanes = type_.lanes, .active = active(vector)});
    });
}

void NestTile::multiply(const TileOperand& a, const TileOperand& b, Integer depth) {
    const Integer whole = depth / nest_.unroll * nest_.unroll;
    if (whole > nest_.unroll)
        builder_.for_loop("k0", 0, whole, nest_.unroll, ir::For::Kind::serial,
                          [&](const Affine& k) { add_steps(a, b, k, nest_.unroll); });
    else if (whole > 0)
        add_steps(a, b, 0, nest_.unroll);
    if (whole < depth) add_steps(a, b, whole, static_cast<int>(depth - whole));
}

/// A straight run of multiply-adds in the order of the loops k, i, j.
struct NestTile::Run {
    Run(NestTile& of, const TileOperand& rows_from, const TileOperand& vectors_from, const Affine& begin,
        int steps)
        : tile(of),
          builder(of.builder_),
          a(rows_from),
          b(vectors_from),
          first(begin),
          of_step(of.rows_ * of.vectors_),
          count(steps * of_step),
          rows(static_cast<std::size_t>(steps * of.rows_), ir::no_value),
          vectors(static_cast<std::size_t>(steps * of.vectors_), ir::no_value),
          products(static_cast<std::size_t>(count), ir::no_value),
          sums(static_cast<std::size_t>(of_step)) {}

    Step step_at(int index) const {
        return {index / of_step, index % of_step / tile.vectors_, index % tile.vectors_};
    }
    Value& row(const Step& step) { return rows[static_cast<std::size_t>(step.k * tile.rows_ + step.row)]; }
    Value& vector(const Step& step) {
        return vectors[static_cast<std::size_t>(step.k * tile.vectors_ + step.vector)];
    }

    void load(const Step& step) {
        const int lanes = tile.type_.lanes;
        if (row(step) == ir::no_value)
            row(step) = builder.splat(
                builder.load(a.buffer, a.origin + a.depth_stride * (first + step.k) + a.stride * step.row),
                lanes);
        if (vector(step) == ir::no_value)
            vector(step) = builder.load(
                b.buffer, b.origin + b.depth_stride * (first + step.k) + b.stride * step.vector * lanes,
                {.lanes = lanes, .active = tile.active(step.vector)});
    }
    void multiply(int index) {
        const Step step = step_at(index);
        products[static_cast<std::size_t>(index)] = builder.multiply(row(step), vector(step));
    }
    void add(int index) {
        const Step step = step_at(index);
        Value& sum = sums[tile.at(step.row, step.vector)];
        sum = tile.nest_.is_fused ? builder.fma(row(step), vector(step), sum)
                                  : builder.add(sum, products[static_cast<std::size_t>(index)]);
    }

    NestTile& tile;
    ir::Builder& builder;
    const TileOperand &a, &b;
    Affine first;
    int of_step, count;
    std::vector<Value> rows, vectors, products, sums;
};

void NestTile::add_steps(const TileOperand& a, const TileOperand& b, const Affine& first, int steps) {
    Run run(*this, a, b, first, steps);
    each_sum([&](Integer place, int row, int vector) {
        run.sums[at(row, vector)] = builder_.load(sums_, place, {.lanes = type_.lanes});
    });
    const int behind = nest_.is_fused ? 0 : nest_.adds_behind;
    int loaded = 0, multiplied = 0;
    for (int added = 0; added < run.count; ++added) {
        const int multiply_to = std::min(added + behind + 1, run.count);
        for (; loaded < std::min(multiply_to + nest_.loads_ahead, run.count); ++loaded)
            run.load(run.step_at(loaded));
        if (!nest_.is_fused)
            for (; multiplied < multiply_to; ++multiplied) run.multiply(multiplied);
        run.add(added);
    }
    each_sum([&](Integer place, int row, int vector) {
        builder_.store(sums_, place, run.sums[at(row, vector)], {.lanes = type_.lanes});
    });
}

} // namespace swirl::gemm
