#include "blas/triangular_program.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/scalar.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu) {
    const int components = gemm::scalars_in(kernel.data_type);
    const int registers = cpu.vector_registers / 2;
    kernel.lanes = target::lanes(cpu, gemm::scalar_of(kernel.data_type));
    while (components * kernel.lanes > registers) kernel.lanes /= 2;
    kernel.vectors = registers / (components * kernel.lanes);
    return kernel;
}

Integer workspace_scalars(const StripKernel& kernel) {
    return kernel.most_rows * kernel.columns() * gemm::scalars_in(kernel.data_type);
}

Integer triangle_offset(const StripKernel& kernel, Integer i, Integer j) {
    const Integer group = i / kernel.lanes * kernel.lanes;
    return gemm::scalars_in(kernel.data_type) * (group * kernel.most_rows + j * kernel.lanes) +
           i % kernel.lanes;
}

Integer triangle_scalars(const StripKernel& kernel) {
    return gemm::scalars_in(kernel.data_type) * kernel.most_rows * kernel.most_rows;
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
          group_(kernel.lanes),
          type_{gemm::scalar_of(kernel.data_type), kernel.lanes},
          builder_(kernel.task == TriangularTask::solve ? "solve_strip" : "multiply_strip") {
        triangle_ = builder_.input("triangle", type_.scalar, triangle_scalars(kernel), {ir::ArgumentRole::a});
        factor_ = builder_.input("alpha", type_.scalar, components_, {ir::ArgumentRole::alpha});
        strip_ = builder_.output("strip", type_.scalar, workspace_scalars(kernel), {ir::ArgumentRole::b});
        workspace_ = builder_.output("workspace", type_.scalar, workspace_scalars(kernel),
                                     {ir::ArgumentRole::workspace});
        accumulators_ = builder_.local("accumulators", type_.scalar, components_ * group_ * kernel.columns());
    }

    ir::Program build() {
        rows_ = builder_.parameter("rows");
        stride_ = builder_.parameter("stride");
        if (kernel_.task == TriangularTask::multiply)
            for_each_row_group([&](const Affine& row) { store_workspace(row, load_strip(row)); });
        for_each_row_group([&](const Affine& row) {
            if (kernel_.task == TriangularTask::solve)
                store_accumulators(load_strip(row));
            else
                store_accumulators(Group(elements(), zeros()));
            builder_.for_loop("j", 0, row, 1, ir::For::Kind::serial,
                              [&](const Affine& j) { add_row(row, j); });
            Group results = load_accumulators();
            if (kernel_.task == TriangularTask::solve) {
                solve_group(row, results);
                store_workspace(row, results);
            } else {
                multiply_group(row, results);
            }
            store_strip(row, results);
        });
        return builder_.finish();
    }

private:
    /// A group's elements: row by row, vector by vector.
    using Group = std::vector<Components>;

    std::size_t elements() const { return static_cast<std::size_t>(group_ * kernel_.vectors); }
    std::size_t element(int row, int vector) const {
        return static_cast<std::size_t>(row * kernel_.vectors + vector);
    }
    Components zeros() {
        const Value zero = builder_.constant(type_, 0);
        return {zero, components_ == 2 ? zero : ir::no_value};
    }
    template <class F> void for_each_row_group(F&& body) {
        builder_.for_loop("row", 0, rows_, group_, ir::For::Kind::serial, body);
    }
    template <class F> void for_each_component(F&& body) {
        for (int component = 0; component < components_; ++component)
            body(static_cast<std::size_t>(component));
    }

    // ---- accumulators and the workspace, whose components are separate

    Affine accumulator_offset(std::size_t at, std::size_t component) const {
        return static_cast<Integer>(at * static_cast<std::size_t>(components_) + component) * type_.lanes;
    }
    void store_accumulators(const Group& values) {
        for (std::size_t at = 0; at < elements(); ++at)
            for_each_component([&](std::size_t component) {
                builder_.store(accumulators_, accumulator_offset(at, component), values[at][component],
                               {.lanes = type_.lanes});
            });
    }
    Group load_accumulators() {
        Group values(elements());
        for (std::size_t at = 0; at < elements(); ++at)
            for_each_component([&](std::size_t component) {
                values[at][component] =
                    builder_.load(accumulators_, accumulator_offset(at, component), {.lanes = type_.lanes});
            });
        return values;
    }
    Affine workspace_offset(const Affine& row, int vector, std::size_t component) const {
        return components_ * kernel_.columns() * row +
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
    void store_workspace(const Affine& first, const Group& values) {
        for (int row = 0; row < group_; ++row)
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                for_each_component([&](std::size_t component) {
                    builder_.store(workspace_, workspace_offset(first + row, vector, component),
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
    /// Memory index of a group's row, counted from the strip's first row.
    Affine memory_row(const Affine& first, int row) const {
        return kernel_.reversed ? rows_ - first - 1 - row : first + row;
    }
    Components get(const Affine& index, Value dynamic) {
        if (components_ == 2)
            return gemm::load_pairs(builder_, strip_, 2 * index, type_.lanes, type_.lanes, dynamic);
        return {builder_.load(strip_, index, {.lanes = type_.lanes, .dynamic = dynamic}), ir::no_value};
    }
    void put(const Affine& index, Value dynamic, const Components& values) {
        if (components_ == 2)
            gemm::store_pairs(builder_, strip_, 2 * index, values, type_.lanes, dynamic);
        else
            builder_.store(strip_, index, values[0], {.lanes = type_.lanes, .dynamic = dynamic});
    }
    /// Transposes square blocks of elements: rows become columns.
    std::vector<Components> transposed(const std::vector<Components>& square) {
        std::vector<Components> result(square.size());
        for_each_component([&](std::size_t component) {
            std::vector<Value> rows;
            for (const Components& row : square) rows.push_back(row[component]);
            const std::vector<Value> columns = ir::columns_of_rows(builder_.writer(), rows, type_.lanes);
            for (std::size_t at = 0; at < columns.size(); ++at) result[at][component] = columns[at];
        });
        return result;
    }
    std::size_t memory_row_of(int row) const {
        return static_cast<std::size_t>(kernel_.reversed ? group_ - 1 - row : row);
    }
    Group load_strip(const Affine& first) {
        Group values(elements());
        if (kernel_.column_major) {
            for (int vector = 0; vector < kernel_.vectors; ++vector) {
                std::vector<Components> square;
                for (int column = vector * type_.lanes; column < (vector + 1) * type_.lanes; ++column)
                    square.push_back(get(memory_row(first, kernel_.reversed ? group_ - 1 : 0),
                                         times_stride(integer(column))));
                square = transposed(square);
                for (int row = 0; row < group_; ++row)
                    values[element(row, vector)] = square[memory_row_of(row)];
            }
        } else {
            for (int row = 0; row < group_; ++row) {
                const Value at = times_stride(builder_.index(memory_row(first, row)));
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    values[element(row, vector)] = get(vector * type_.lanes, at);
            }
        }
        if (kernel_.scaled) {
            const Components alpha = splat(factor_, 0, 1);
            for (Components& each : values) each = product(alpha, each);
        }
        return values;
    }
    void store_strip(const Affine& first, const Group& values) {
        if (!kernel_.column_major) {
            for (int row = 0; row < group_; ++row) {
                const Value at = times_stride(builder_.index(memory_row(first, row)));
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    put(vector * type_.lanes, at, values[element(row, vector)]);
            }
            return;
        }
        for (int vector = 0; vector < kernel_.vectors; ++vector) {
            std::vector<Components> square(static_cast<std::size_t>(group_));
            for (int row = 0; row < group_; ++row) square[memory_row_of(row)] = values[element(row, vector)];
            square = transposed(square);
            for (int column = 0; column < type_.lanes; ++column)
                put(memory_row(first, kernel_.reversed ? group_ - 1 : 0),
                    times_stride(integer(vector * type_.lanes + column)),
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
    Components entry(const Affine& first, int row, const Affine& column) {
        return splat(triangle_, components_ * (kernel_.most_rows * first + kernel_.lanes * column) + row,
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
    void add_row(const Affine& first, const Affine& j) {
        Group accumulators = load_accumulators();
        Group row;
        for (int vector = 0; vector < kernel_.vectors; ++vector) row.push_back(load_workspace(j, vector));
        for (int i = 0; i < group_; ++i) {
            const Components factor = entry(first, i, j);
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                accumulate(accumulators[element(i, vector)], factor, row[static_cast<std::size_t>(vector)]);
        }
        store_accumulators(accumulators);
    }
    void solve_group(const Affine& first, Group& accumulators) {
        for (int i = 0; i < group_; ++i) {
            const Components reciprocal = entry(first, i, first + i);
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                accumulators[element(i, vector)] = product(reciprocal, accumulators[element(i, vector)]);
            for (int below = i + 1; below < group_; ++below) {
                const Components factor = entry(first, below, first + i);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(accumulators[element(below, vector)], factor,
                               accumulators[element(i, vector)]);
            }
        }
    }
    void multiply_group(const Affine& first, Group& accumulators) {
        for (int j = 0; j < group_; ++j) {
            Group row;
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                row.push_back(load_workspace(first + j, vector));
            for (int i = j; i < group_; ++i) {
                const Components factor = entry(first, i, first + j);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(accumulators[element(i, vector)], factor,
                               row[static_cast<std::size_t>(vector)]);
            }
        }
    }

    const StripKernel& kernel_;
    bool has_fma_;
    Integer components_;
    int group_; ///< rows
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
