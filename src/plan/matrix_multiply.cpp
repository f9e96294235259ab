#include "plan/matrix_multiply.hpp"

#include "base/integer.hpp"
#include "plan/matrix_blocks.hpp"
#include "plan/small_products.hpp"
#include "runtime/team.hpp"

#include <algorithm>
#include <complex>
#include <cstddef>
#include <utility>
#include <vector>

namespace swirl::planning {

namespace {

/// Below so many multiply-adds a thread costs more than it brings.
constexpr double least_share = 1 << 18;

template <class F> void with_number(Number number, F&& f) {
    switch (number) {
    case Number::float32: return f(float{});
    case Number::float64: return f(double{});
    case Number::complex32: return f(std::complex<float>{});
    case Number::complex64: return f(std::complex<double>{});
    }
}

template <class T> T value_at(const void* pointer) { return *static_cast<const T*>(pointer); }

bool is(double value, Number number, const void* pointer) {
    bool same = false;
    with_number(number, [&](auto example) {
        using T = decltype(example);
        same = value_at<T>(pointer) == T(static_cast<float>(value));
    });
    return same;
}

gemm::Update update_for(Number number, const void* beta) {
    return is(0, number, beta) ? gemm::Update::overwrite
           : is(1, number, beta) ? gemm::Update::add
                                 : gemm::Update::scale;
}

/// C = β·C, for products of no depth.
void scale(const MatrixProduct& product, const void* beta, void* c) {
    with_number(product.number, [&](auto example) {
        using T = decltype(example);
        const T factor = value_at<T>(beta);
        if (factor == T(1)) return;
        for (Integer column = 0; column < product.columns; ++column)
            for (Integer row = 0; row < product.rows; ++row) {
                T& element = static_cast<T*>(c)[row * product.c.row_stride + column * product.c.column_stride];
                element = factor == T(0) ? T(0) : factor * element;
            }
    });
}

MatrixLayout transposed(MatrixLayout layout) {
    std::swap(layout.row_stride, layout.column_stride);
    return layout;
}

/// Cᵀ = α·Bᵀ·Aᵀ + β·Cᵀ is the same memory.
void transpose(MatrixProduct& product, MatrixArguments& arguments) {
    std::swap(product.rows, product.columns);
    const MatrixLayout a = product.a;
    product.a = transposed(product.b);
    product.b = transposed(a);
    product.c = transposed(product.c);
    std::swap(arguments.a, arguments.b);
}

template <class Pointer> Pointer moved(Pointer pointer, Integer bytes) {
    using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<Pointer>>, const std::byte, std::byte>;
    return static_cast<Byte*>(pointer) + bytes;
}

/// The product for these rows and columns of C.
struct Part {
    MatrixProduct product;
    MatrixArguments arguments;
};
Part part_of(const MatrixProduct& product, const MatrixArguments& arguments, runtime::Share rows,
             runtime::Share columns) {
    const Integer bytes = bytes_of(product.number);
    Part part{product, arguments};
    part.product.rows = rows.last - rows.first;
    part.product.columns = columns.last - columns.first;
    part.arguments.a = moved(arguments.a, rows.first * product.a.row_stride * bytes);
    part.arguments.b = moved(arguments.b, columns.first * product.b.column_stride * bytes);
    part.arguments.c = moved(arguments.c, (rows.first * product.c.row_stride +
                                           columns.first * product.c.column_stride) *
                                              bytes);
    return part;
}

/// C's elements are neighbours in neither direction: some columns at a time are computed elsewhere.
void multiply_scattered(MatrixKernels& kernels, const MatrixProduct& product, const MatrixArguments& arguments) {
    with_number(product.number, [&](auto example) {
        using T = decltype(example);
        constexpr Integer together = 64;
        const T beta = value_at<T>(arguments.beta);
        std::vector<T> columns(static_cast<std::size_t>(product.rows * std::min(together, product.columns)));
        for (Integer first = 0; first < product.columns; first += together) {
            Part part = part_of(product, arguments, {0, product.rows},
                                {first, std::min(first + together, product.columns)});
            T* const c = static_cast<T*>(part.arguments.c);
            const MatrixLayout layout = part.product.c;
            part.product.c = {.row_stride = 1, .column_stride = product.rows};
            part.arguments.c = columns.data();
            multiply_blocks(kernels, part.product, part.arguments, gemm::Update::overwrite);
            for (Integer column = 0; column < part.product.columns; ++column)
                for (Integer row = 0; row < product.rows; ++row) {
                    T& element = c[row * layout.row_stride + column * layout.column_stride];
                    const T result = columns[static_cast<std::size_t>(column * product.rows + row)];
                    element = beta == T(0) ? result : result + beta * element;
                }
        }
    });
}

/// Threads along the rows and along the columns of C, so that the parts are nearly square.
std::pair<int, int> grid(int threads, const MatrixProduct& product) {
    std::pair<int, int> best{threads, 1};
    double least = 0;
    for (int along_rows = 1; along_rows <= threads; ++along_rows) {
        if (threads % along_rows != 0) continue;
        const int along_columns = threads / along_rows;
        const double edge = static_cast<double>(product.rows) / along_rows +
                            static_cast<double>(product.columns) / along_columns;
        if (along_rows == 1 || edge < least) {
            least = edge;
            best = {along_rows, along_columns};
        }
    }
    return best;
}

/// Whether the product has a kernel of its own, which then has run.
bool multiply_small(const MatrixProduct& product, const MatrixArguments& arguments) {
    if (!is_small(product)) return false;
    const SmallKernel* kernel = SmallProducts::of_this_machine().find(
        product, update_for(product.number, arguments.beta), is(1, product.number, arguments.alpha));
    if (kernel != nullptr) kernel->run(arguments);
    return kernel != nullptr;
}

void multiply_one(const MatrixProduct& given, const MatrixArguments& given_arguments, int threads) {
    MatrixProduct product = given;
    MatrixArguments arguments = given_arguments;
    if (product.c.row_stride != 1 && product.c.column_stride == 1) transpose(product, arguments);
    if (multiply_small(product, arguments)) return;
    const gemm::Update update = update_for(product.number, arguments.beta);
    MatrixKernels& kernels = MatrixKernels::of_this_machine(product.number);
    const auto multiply_part = [&](const MatrixProduct& of, const MatrixArguments& with) {
        if (of.c.row_stride == 1 || of.rows == 1)
            multiply_blocks(kernels, of, with, update);
        else
            multiply_scattered(kernels, of, with);
    };
    const double work = static_cast<double>(product.rows) * static_cast<double>(product.columns) *
                        static_cast<double>(product.depth);
    const int wanted = static_cast<int>(std::min<double>(threads, work / least_share));
    const int members = wanted > 1 ? runtime::team_size(wanted) : 1;
    if (members <= 1) return multiply_part(product, arguments);
    const gemm::Tile& tile = kernels.schedule().tile;
    runtime::run_team(members, [&](const runtime::TeamMember& member) {
        const auto [along_rows, along_columns] = grid(member.size(), product);
        const runtime::Share rows =
            runtime::share_of(product.rows, tile.rows(), member.number() % along_rows, along_rows);
        const runtime::Share columns =
            runtime::share_of(product.columns, tile.columns, member.number() / along_rows, along_columns);
        if (rows.first >= rows.last || columns.first >= columns.last) return;
        const Part part = part_of(product, arguments, rows, columns);
        multiply_part(part.product, part.arguments);
    });
}

} // namespace

void multiply(const MatrixProduct& product, const MatrixArguments& arguments, int threads) {
    if (product.rows == 0 || product.columns == 0) return;
    const Integer bytes = bytes_of(product.number);
    const bool is_nothing = product.depth == 0 || is(0, product.number, arguments.alpha);
    if (product.batch == 1 && !is_nothing && multiply_small(product, arguments)) return;
    for (Integer number = 0; number < product.batch; ++number) {
        MatrixArguments one = arguments;
        one.a = moved(one.a, number * product.a.batch_stride * bytes);
        one.b = moved(one.b, number * product.b.batch_stride * bytes);
        one.c = moved(one.c, number * product.c.batch_stride * bytes);
        if (is_nothing)
            scale(product, one.beta, one.c);
        else
            multiply_one(product, one, threads);
    }
}

} // namespace swirl::planning
