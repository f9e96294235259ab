#include "blas/triangular_program.hpp"

#include "gemm/complex_lanes.hpp"
#include "gemm/tile.hpp"
#include "ir/builder.hpp"
#include "ir/transpose.hpp"

#include <algorithm>
#include <vector>

namespace swirl::blas {

StripKernel with_shape_for(StripKernel kernel, const target::Cpu& cpu) {
    const int parts = gemm::scalars_in(kernel.number);
    const int registers = cpu.vector_registers / 2;
    kernel.lanes = target::lanes(cpu, gemm::scalar_of(kernel.number));
    while (parts * kernel.lanes > registers) kernel.lanes /= 2;
    kernel.vectors = registers / (parts * kernel.lanes);
    return kernel;
}

Integer workspace_scalars(const StripKernel& kernel) {
    return kernel.most_rows * kernel.columns() * gemm::scalars_in(kernel.number);
}

Integer triangle_place(const StripKernel& kernel, Integer i, Integer j) {
    const Integer group = i / kernel.lanes * kernel.lanes;
    return gemm::scalars_in(kernel.number) * (group * kernel.most_rows + j * kernel.lanes) + i % kernel.lanes;
}

Integer triangle_scalars(const StripKernel& kernel) {
    return gemm::scalars_in(kernel.number) * kernel.most_rows * kernel.most_rows;
}

namespace {

using gemm::Parts;
using ir::Value;

class StripBuilder {
public:
    StripBuilder(const StripKernel& kernel, const target::Cpu& cpu)
        : kernel_(kernel),
          has_fma_(cpu.has_fma),
          parts_(gemm::scalars_in(kernel.number)),
          group_(kernel.lanes),
          type_{gemm::scalar_of(kernel.number), kernel.lanes},
          builder_(kernel.task == TriangularTask::solve ? "solve_strip" : "multiply_strip") {
        triangle_ = builder_.input("triangle", type_.scalar, triangle_scalars(kernel));
        factor_ = builder_.input("factor", type_.scalar, parts_);
        strip_ = builder_.output("strip", type_.scalar, workspace_scalars(kernel));
        workspace_ = builder_.output("workspace", type_.scalar, workspace_scalars(kernel));
        sums_ = builder_.local("sums", type_.scalar, parts_ * group_ * kernel.columns());
    }

    ir::Program build() {
        rows_ = builder_.parameter("rows");
        stride_ = builder_.parameter("stride");
        if (kernel_.task == TriangularTask::multiply)
            over_groups([&](const Affine& row) { put_workspace(row, get_strip(row)); });
        over_groups([&](const Affine& row) {
            if (kernel_.task == TriangularTask::solve)
                put_sums(get_strip(row));
            else
                put_sums(Group(elements(), zeros()));
            builder_.for_loop("j", 0, row, 1, ir::For::Kind::serial,
                              [&](const Affine& j) { add_row(row, j); });
            Group results = get_sums();
            if (kernel_.task == TriangularTask::solve) {
                solve_group(row, results);
                put_workspace(row, results);
            } else {
                multiply_group(row, results);
            }
            put_strip(row, results);
        });
        return builder_.finish();
    }

private:
    /// A group's numbers: row by row, vector by vector.
    using Group = std::vector<Parts>;

    std::size_t elements() const { return static_cast<std::size_t>(group_ * kernel_.vectors); }
    std::size_t element(int row, int vector) const {
        return static_cast<std::size_t>(row * kernel_.vectors + vector);
    }
    Parts zeros() {
        const Value zero = builder_.constant(type_, 0);
        return {zero, parts_ == 2 ? zero : ir::no_value};
    }
    template <class F> void over_groups(F&& body) {
        builder_.for_loop("row", 0, rows_, group_, ir::For::Kind::serial, body);
    }
    template <class F> void over_parts(F&& body) {
        for (int part = 0; part < parts_; ++part) body(static_cast<std::size_t>(part));
    }

    // ---- sums and the workspace, which have parts apart

    Affine place_of_sum(std::size_t at, std::size_t part) const {
        return static_cast<Integer>(at * static_cast<std::size_t>(parts_) + part) * type_.lanes;
    }
    void put_sums(const Group& values) {
        for (std::size_t at = 0; at < elements(); ++at)
            over_parts([&](std::size_t part) {
                builder_.store(sums_, place_of_sum(at, part), values[at][part], {.lanes = type_.lanes});
            });
    }
    Group get_sums() {
        Group values(elements());
        for (std::size_t at = 0; at < elements(); ++at)
            over_parts([&](std::size_t part) {
                values[at][part] = builder_.load(sums_, place_of_sum(at, part), {.lanes = type_.lanes});
            });
        return values;
    }
    Affine place_in_workspace(const Affine& row, int vector, std::size_t part) const {
        return parts_ * kernel_.columns() * row +
               (vector * parts_ + static_cast<Integer>(part)) * type_.lanes;
    }
    Parts get_workspace(const Affine& row, int vector) {
        Parts values{ir::no_value, ir::no_value};
        over_parts([&](std::size_t part) {
            values[part] =
                builder_.load(workspace_, place_in_workspace(row, vector, part), {.lanes = type_.lanes});
        });
        return values;
    }
    void put_workspace(const Affine& first, const Group& values) {
        for (int row = 0; row < group_; ++row)
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                over_parts([&](std::size_t part) {
                    builder_.store(workspace_, place_in_workspace(first + row, vector, part),
                                   values[element(row, vector)][part], {.lanes = type_.lanes});
                });
    }

    // ---- the strip in the caller's memory

    Value times_stride(Value count) { return builder_.multiply(builder_.index(parts_ * stride_), count); }
    Value integer(Integer value) {
        return builder_.constant({ir::Scalar::int64, 1}, static_cast<long double>(value));
    }
    /// The place in memory of a group's row, counted from the strip's first.
    Affine memory_row(const Affine& first, int row) const {
        return kernel_.reversed ? rows_ - first - 1 - row : first + row;
    }
    Parts get(const Affine& index, Value dynamic) {
        if (parts_ == 2)
            return gemm::load_pairs(builder_, strip_, 2 * index, type_.lanes, type_.lanes, dynamic);
        return {builder_.load(strip_, index, {.lanes = type_.lanes, .dynamic = dynamic}), ir::no_value};
    }
    void put(const Affine& index, Value dynamic, const Parts& values) {
        if (parts_ == 2)
            gemm::store_pairs(builder_, strip_, 2 * index, values, type_.lanes, dynamic);
        else
            builder_.store(strip_, index, values[0], {.lanes = type_.lanes, .dynamic = dynamic});
    }
    /// Squares of numbers, turned: rows of them become columns.
    std::vector<Parts> turned(const std::vector<Parts>& square) {
        std::vector<Parts> result(square.size());
        over_parts([&](std::size_t part) {
            std::vector<Value> rows;
            for (const Parts& row : square) rows.push_back(row[part]);
            const std::vector<Value> columns = ir::columns_of_rows(builder_.writer(), rows, type_.lanes);
            for (std::size_t at = 0; at < columns.size(); ++at) result[at][part] = columns[at];
        });
        return result;
    }
    std::size_t in_memory_order(int row) const {
        return static_cast<std::size_t>(kernel_.reversed ? group_ - 1 - row : row);
    }
    Group get_strip(const Affine& first) {
        Group values(elements());
        if (kernel_.by_columns) {
            for (int vector = 0; vector < kernel_.vectors; ++vector) {
                std::vector<Parts> square;
                for (int column = vector * type_.lanes; column < (vector + 1) * type_.lanes; ++column)
                    square.push_back(get(memory_row(first, kernel_.reversed ? group_ - 1 : 0),
                                         times_stride(integer(column))));
                square = turned(square);
                for (int row = 0; row < group_; ++row)
                    values[element(row, vector)] = square[in_memory_order(row)];
            }
        } else {
            for (int row = 0; row < group_; ++row) {
                const Value at = times_stride(builder_.index(memory_row(first, row)));
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    values[element(row, vector)] = get(vector * type_.lanes, at);
            }
        }
        if (kernel_.scaled) {
            const Parts alpha = splat(factor_, 0, 1);
            for (Parts& each : values) each = product(alpha, each);
        }
        return values;
    }
    void put_strip(const Affine& first, const Group& values) {
        if (!kernel_.by_columns) {
            for (int row = 0; row < group_; ++row) {
                const Value at = times_stride(builder_.index(memory_row(first, row)));
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    put(vector * type_.lanes, at, values[element(row, vector)]);
            }
            return;
        }
        for (int vector = 0; vector < kernel_.vectors; ++vector) {
            std::vector<Parts> square(static_cast<std::size_t>(group_));
            for (int row = 0; row < group_; ++row)
                square[in_memory_order(row)] = values[element(row, vector)];
            square = turned(square);
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
    Parts splat(ir::Buffer buffer, const Affine& index, Integer to_imaginary) {
        Parts values{ir::no_value, ir::no_value};
        over_parts([&](std::size_t part) {
            values[part] = builder_.splat(
                builder_.load(buffer, index + static_cast<Integer>(part) * to_imaginary), type_.lanes);
        });
        return values;
    }
    /// The triangle's entry in a group's row and a column.
    Parts entry(const Affine& first, int row, const Affine& column) {
        return splat(triangle_, parts_ * (kernel_.most_rows * first + kernel_.lanes * column) + row,
                     kernel_.lanes);
    }
    Parts product(const Parts& a, const Parts& b) {
        if (parts_ == 1) return {builder_.multiply(a[0], b[0]), ir::no_value};
        return {add_product(a[1], b[1], builder_.multiply(a[0], b[0]), true),
                add_product(a[1], b[0], builder_.multiply(a[0], b[1]), false)};
    }
    /// sum ± a·b: minus where equations are solved.
    void accumulate(Parts& sum, const Parts& a, const Parts& b) {
        const bool negated = kernel_.task == TriangularTask::solve;
        sum[0] = add_product(a[0], b[0], sum[0], negated);
        if (parts_ == 1) return;
        sum[1] = add_product(a[0], b[1], sum[1], negated);
        sum[0] = add_product(a[1], b[1], sum[0], !negated);
        sum[1] = add_product(a[1], b[0], sum[1], negated);
    }

    /// What row j of the strip, before the group, adds to the group's sums.
    void add_row(const Affine& first, const Affine& j) {
        Group sums = get_sums();
        Group row;
        for (int vector = 0; vector < kernel_.vectors; ++vector) row.push_back(get_workspace(j, vector));
        for (int i = 0; i < group_; ++i) {
            const Parts factor = entry(first, i, j);
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                accumulate(sums[element(i, vector)], factor, row[static_cast<std::size_t>(vector)]);
        }
        put_sums(sums);
    }
    void solve_group(const Affine& first, Group& sums) {
        for (int i = 0; i < group_; ++i) {
            const Parts reciprocal = entry(first, i, first + i);
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                sums[element(i, vector)] = product(reciprocal, sums[element(i, vector)]);
            for (int below = i + 1; below < group_; ++below) {
                const Parts factor = entry(first, below, first + i);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(sums[element(below, vector)], factor, sums[element(i, vector)]);
            }
        }
    }
    void multiply_group(const Affine& first, Group& sums) {
        for (int j = 0; j < group_; ++j) {
            Group row;
            for (int vector = 0; vector < kernel_.vectors; ++vector)
                row.push_back(get_workspace(first + j, vector));
            for (int i = j; i < group_; ++i) {
                const Parts factor = entry(first, i, first + j);
                for (int vector = 0; vector < kernel_.vectors; ++vector)
                    accumulate(sums[element(i, vector)], factor, row[static_cast<std::size_t>(vector)]);
            }
        }
    }

    const StripKernel& kernel_;
    bool has_fma_;
    Integer parts_;
    int group_; ///< rows
    ir::Type type_;
    ir::Builder builder_;
    ir::Buffer triangle_, factor_, strip_, workspace_, sums_;
    Affine rows_, stride_;
};

} // namespace

ir::Program strip_program(const StripKernel& kernel, const target::Cpu& cpu) {
    return StripBuilder(kernel, cpu).build();
}

} // namespace swirl::blas
