#include "blas/triangular_program.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/complex_quotient.hpp"
#include "gemm/scalar.hpp"
#include "gemm/square.hpp"
#include "ir/builder.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu) {
    const int components = gemm::scalars_in(kernel.data_type);
    const int registers = cpu.vector_registers / 2;
    kernel.lanes = gemm::square_lanes(kernel.data_type, cpu);
    kernel.vectors = registers / (components * kernel.lanes);
    kernel.columns = kernel.lanes * kernel.vectors;
    return kernel;
}

StripKernel with_columns(StripKernel kernel, int columns) {
    kernel.columns = columns;
    kernel.vectors = (columns + kernel.lanes - 1) / kernel.lanes;
    return kernel;
}

Integer workspace_scalars(const StripKernel& kernel) {
    return kernel.most_rows * kernel.lanes * kernel.vectors * gemm::scalars_in(kernel.data_type);
}

namespace {

using gemm::Components;
using ir::Value;

class StripBuilder {
public:
    StripBuilder(const StripKernel& kernel, const target::Cpu& cpu)
        : kernel_(kernel),
          has_fma_(cpu.has_fma),
          components_(gemm::scalars_in(kernel.data_type)),
          columns_(kernel.lanes * kernel.vectors),
          type_{gemm::scalar_of(kernel.data_type), kernel.lanes},
          builder_(kernel.task == TriangularTask::solve ? "solve_strip" : "multiply_strip") {
        triangle_ =
            builder_.input("triangle", type_.scalar, kernel.layout().scalars(), {ir::ArgumentRole::a});
        factor_ = builder_.input("alpha", type_.scalar, components_, {ir::ArgumentRole::alpha});
        const Integer lines = kernel.column_major ? kernel.columns : kernel.most_rows,
                      line = kernel.column_major ? kernel.most_rows : kernel.columns;
        strip_ =
            builder_.output("strip", type_.scalar, components_ * (line + (lines - 1) * kernel.max_stride),
                            {ir::ArgumentRole::b});
        workspace_ = builder_.output("workspace", type_.scalar, workspace_scalars(kernel),
                                     {ir::ArgumentRole::workspace});
        accumulators_ = builder_.local("accumulators", type_.scalar, components_ * kernel.lanes * columns_);
    }

    ir::Program build() {
        rows_ = builder_.parameter("rows");
        stride_ = builder_.parameter("stride");
        if (kernel_.task == TriangularTask::multiply)
            for_each_group([&](const Group& group) { store_workspace(group, load_strip(group)); });
        for_each_group([&](const Group& group) { write_group(group); });
        return builder_.finish();
    }

private:
    /// Successive rows that are in registers at once.
    struct Group {
        Affine first;
        int rows;
    };
    /// A group's elements: row by row, vector by vector.
    using Elements = std::vector<Components>;

    void write_group(const Group& group) {
        if (kernel_.task == TriangularTask::solve)
            store_accumulators(load_strip(group));
        else
            store_accumulators(Elements(elements(group), zeros()));
        builder_.for_loop("j", 0, group.first, 1, ir::For::Kind::serial,
                          [&](const Affine& j) { add_row(group, j); });
        Elements results = load_accumulators(group);
        if (kernel_.task == TriangularTask::solve) {
            solve_group(group, results);
            store_workspace(group, results);
        } else {
            multiply_group(group, results);
        }
        store_strip(group, results);
    }

    std::size_t elements(const Group& group) const {
        return static_cast<std::size_t>(group.rows * kernel_.vectors);
    }
    std::size_t element(int row, int vector) const {
        return static_cast<std::size_t>(row * kernel_.vectors + vector);
    }
    Components zeros() {
        const Value zero = builder_.constant(type_, 0);
        return {zero, components_ == 2 ? zero : ir::no_value};
    }
    template <class F> void for_each_group(F&& body) {
        builder_.for_loop("row", 0, rows_, kernel_.lanes, ir::For::Kind::serial, [&](const Affine& row) {
            body(Group{row, kernel_.lanes});
        });
        if (kernel_.rest > 0) body(Group{rows_, kernel_.rest});
    }
    template <class F> void for_each_component(F&& body) {
        for (int component = 0; component < components_; ++component)
            body(static_cast<std::size_t>(component));
    }

    // ---- accumulators and the workspace, whose components are separate

    Affine accumulator_offset(std::size_t at, std::size_t component) const {
        return static_cast<Integer>(at * static_cast<std::size_t>(components_) + component) * type_.lanes;
    }
    void store_accumulators(const Elements& values) {
        for (std::size_t at = 0; at < values.size(); ++at)
            for_each_component([&](std::size_t component) {
                builder_.store(accumulators_, accumulator_offset(at, component), values[at][component],
                               {.lanes = type_.lanes});
            });
    }
    Elements load_accumulators(const Group& group) {
        Elements values(elements(group), {ir::no_value, ir::no_value});
        for (std::size_t at = 0; at < values.size(); ++at)
            for_each_component([&](std::size_t component) {
                values[at][component] =
                    builder_.load(accumulators_, accumulator_offset(at, component), {.lanes = type_.lanes});
            });
        return values;
    }
    Affine workspace_offset(const Affine& row, int vector, std::size_t component) const {
        return components_ * columns_ * row +
               (vector * components_ + static_cast<Integer>(component)) * type_.lanes;
    }
    Components load_workspace(const Affine& row, int vector) {
        Components values{ir::no_value, ir::no_value};
        for_each_component([&](std::size_t component) {
            values[component] =
                builder_.load(workspace_, workspace_offset(row, vector, component), {.lanes = type_.lanes});
        });
        return values;
    }
    void store_workspace(const Group& group, const Elements& values) {
        for (int row = 0; row < group.rows; ++row)
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                for_each_component([&](std::size_t component) {
                    builder_.store(workspace_, workspace_offset(group.first + row, vector, component),
                                   values[element(row, vector)][component], {.lanes = type_.lanes});
                });
    }

    // ---- the strip in the caller's memory

    Value times_stride(Value count) {
        return builder_.multiply(builder_.index(components_ * stride_), count);
    }
    Value integer(Integer value) {
        return builder_.constant({DataType::int64, 1}, static_cast<long double>(value));
    }
    /// Memory index of the first of a group's rows, and of one of them.
    Affine first_in_memory(const Group& group) const {
        return kernel_.reversed ? rows_ - group.first + (kernel_.rest - group.rows) : group.first;
    }
    int row_in_memory(const Group& group, int row) const {
        return kernel_.reversed ? group.rows - 1 - row : row;
    }
    Components get(const Affine& index, int active, Value dynamic) {
        if (components_ == 2)
            return gemm::load_pairs(builder_, strip_, 2 * index, type_.lanes, active, dynamic);
        return {builder_.load(strip_, index, {.lanes = type_.lanes, .active = active, .dynamic = dynamic}),
                ir::no_value};
    }
    void put(const Affine& index, int active, Value dynamic, const Components& values) {
        if (components_ == 2)
            gemm::store_pairs(builder_, strip_, 2 * index, values, active, dynamic);
        else
            builder_.store(strip_, index, values[0],
                           {.lanes = type_.lanes, .active = active, .dynamic = dynamic});
    }
    /// Columns of the strip in a vector.
    int active_columns(int vector) const {
        return std::min(type_.lanes, kernel_.columns - vector * type_.lanes);
    }
    /// Offsets of a group's rows, in memory's order, where rows are contiguous.
    std::vector<Value> row_starts(const Group& group) {
        std::vector<Value> starts;
        for (int row = 0; !kernel_.column_major && row < group.rows; ++row)
            starts.push_back(times_stride(builder_.index(first_in_memory(group) + row)));
        return starts;
    }
    Elements load_strip(const Group& group) {
        Elements values(elements(group));
        const Affine first = first_in_memory(group);
        const std::vector<Value> starts = row_starts(group);
        for (int vector = 0; vector < kernel_.vectors; ++vector) {
            const int columns = active_columns(vector);
            gemm::SquareLines rows;
            if (kernel_.column_major) {
                gemm::SquareLines square;
                for (int column = 0; column < columns; ++column)
                    square.push_back(
                        get(first, group.rows, times_stride(integer(vector * type_.lanes + column))));
                rows = gemm::transposed(builder_, square, group.rows);
            } else {
                for (int row = 0; row < group.rows; ++row)
                    rows.push_back(get(vector * type_.lanes, columns, starts[static_cast<std::size_t>(row)]));
            }
            for (int row = 0; row < group.rows; ++row)
                values[element(row, vector)] = rows[static_cast<std::size_t>(row_in_memory(group, row))];
        }
        if (kernel_.scaled) {
            const Components alpha = splat(factor_, 0, 1);
            for (Components& each : values) each = product(alpha, each);
        }
        return values;
    }
    void store_strip(const Group& group, const Elements& values) {
        const Affine first = first_in_memory(group);
        const std::vector<Value> starts = row_starts(group);
        for (int vector = 0; vector < kernel_.vectors; ++vector) {
            const int columns = active_columns(vector);
            gemm::SquareLines rows(static_cast<std::size_t>(group.rows));
            for (int row = 0; row < group.rows; ++row)
                rows[static_cast<std::size_t>(row_in_memory(group, row))] = values[element(row, vector)];
            if (!kernel_.column_major) {
                for (int row = 0; row < group.rows; ++row)
                    put(vector * type_.lanes, columns, starts[static_cast<std::size_t>(row)],
                        rows[static_cast<std::size_t>(row)]);
                continue;
            }
            const gemm::SquareLines square = gemm::transposed(builder_, rows, columns);
            for (int column = 0; column < columns; ++column)
                put(first, group.rows, times_stride(integer(vector * type_.lanes + column)),
                    square[static_cast<std::size_t>(column)]);
        }
    }

    // ---- arithmetic

    Value add_product(Value a, Value b, Value sum, bool negated) {
        if (has_fma_) return negated ? builder_.fnma(a, b, sum) : builder_.fma(a, b, sum);
        const Value product = builder_.multiply(a, b);
        return negated ? builder_.subtract(sum, product) : builder_.add(sum, product);
    }
    Components splat(ir::Buffer buffer, const Affine& index, Integer to_imaginary) {
        Components values{ir::no_value, ir::no_value};
        for_each_component([&](std::size_t component) {
            values[component] = builder_.splat(
                builder_.load(buffer, index + static_cast<Integer>(component) * to_imaginary), type_.lanes);
        });
        return values;
    }
    /// The triangle's entry in a group's row and a column.
    Components entry(const Group& group, int row, const Affine& column) {
        return splat(triangle_,
                     components_ * (kernel_.most_rows * group.first + kernel_.lanes * column) +
                         kernel_.layout().lane_of(row, group.rows),
                     kernel_.lanes);
    }
    Components product(const Components& a, const Components& b) {
        if (components_ == 1) return {builder_.multiply(a[0], b[0]), ir::no_value};
        return {add_product(a[1], b[1], builder_.multiply(a[0], b[0]), true),
                add_product(a[1], b[0], builder_.multiply(a[0], b[1]), false)};
    }
    /// sum + a·b, or sum − a·b when solving.
    void accumulate(Components& sum, const Components& a, const Components& b) {
        const bool negated = kernel_.task == TriangularTask::solve;
        sum[0] = add_product(a[0], b[0], sum[0], negated);
        if (components_ == 1) return;
        sum[1] = add_product(a[0], b[1], sum[1], negated);
        sum[0] = add_product(a[1], b[1], sum[0], !negated);
        sum[1] = add_product(a[1], b[0], sum[1], negated);
    }

    /// Accumulates the contribution of row j of the strip, which precedes the group.
    void add_row(const Group& group, const Affine& j) {
        Elements accumulators = load_accumulators(group);
        Elements row;
        for (int vector = 0; vector < kernel_.vectors; ++vector) row.push_back(load_workspace(j, vector));
        for (int i = 0; i < group.rows; ++i) {
            const Components factor = entry(group, i, j);
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                accumulate(accumulators[element(i, vector)], factor, row[static_cast<std::size_t>(vector)]);
        }
        store_accumulators(accumulators);
    }
    void solve_group(const Group& group, Elements& accumulators) {
        for (int i = 0; i < group.rows; ++i) {
            const Components of_diagonal = entry(group, i, group.first + i);
            for (int vector = 0; vector < kernel_.vectors; ++vector) {
                Components& sum = accumulators[element(i, vector)];
                sum =
                    kernel_.divides ? gemm::quotient(builder_, sum, of_diagonal) : product(of_diagonal, sum);
            }
            for (int below = i + 1; below < group.rows; ++below) {
                const Components factor = entry(group, below, group.first + i);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(accumulators[element(below, vector)], factor,
                               accumulators[element(i, vector)]);
            }
        }
    }
    void multiply_group(const Group& group, Elements& accumulators) {
        for (int j = 0; j < group.rows; ++j) {
            Elements row;
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                row.push_back(load_workspace(group.first + j, vector));
            for (int i = j; i < group.rows; ++i) {
                const Components factor = entry(group, i, group.first + j);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(accumulators[element(i, vector)], factor,
                               row[static_cast<std::size_t>(vector)]);
            }
        }
    }

    const StripKernel& kernel_;
    bool has_fma_;
    Integer components_;
    int columns_; ///< of the strip in registers
    ir::Type type_;
    ir::Builder builder_;
    ir::Buffer triangle_, factor_, strip_, workspace_, accumulators_;
    Affine rows_, stride_;
};

} // namespace

ir::Program strip_program(const StripKernel& kernel, const target::Cpu& cpu) {
    return StripBuilder(kernel, cpu).build();
}

} // namespace swirl::blas
