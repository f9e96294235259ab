#include "plan/matrix_multiply.hpp"

#include "base/integer.hpp"
#include "plan/advanced_pointer.hpp"
#include "plan/matrix_blocks.hpp"
#include "plan/matrix_extras.hpp"
#include "plan/matrix_values.hpp"
#include "plan/portable_product.hpp"
#include "plan/shared_items.hpp"
#include "plan/sliced_kernels.hpp"
#include "plan/sliced_multiply.hpp"
#include "plan/small_products.hpp"
#include "plan/stored_elements.hpp"
#include "runtime/team.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace swirl::planning {

namespace {

/// A product of one matrix on its way, and what is decided for all of it, so that its parts come out the same bit by bit
/// whoever computes them.
struct Work {
    MatrixProduct product;
    MatrixArguments arguments;
    gemm::Update update;
    bool alpha_is_one;
    bool is_small;
    Integer block_depth;
    SlicedRoute route;
    MatrixExtras extras;

    Work(const MatrixProduct& given, const MatrixArguments& given_arguments)
        : product(given), arguments(given_arguments) {
        product.batch = 1;
        product.a.batch_stride = product.b.batch_stride = product.c.batch_stride = 0;
        if (wants_transposition(product)) {
            product = transposed(product);
            std::swap(arguments.a, arguments.b);
        }
        if (arguments.extras != nullptr) extras = *arguments.extras;
        update = update_for(factor_kind(product.number, arguments.beta));
        alpha_is_one = factor_kind(product.number, arguments.alpha) == Factor::one;
        is_small = gemm::suits_small_product(product);
        if (extras.route)
            route = *extras.route;
        else if (!extras.epilogue && !extras.a && !extras.b)
            route = sliced_route(product, Accuracy::ordinary);
        block_depth = route ? sliced_block_depth(route, product) : block_depth_of(product);
    }

    /// The same when the numbers of A and B are known to be there.
    void look_at_operands(int threads) {
        if (!route) return;
        route = with_scale(route, product, arguments, threads);
        if (!route) block_depth = block_depth_of(product);
    }

    /// What is left to do for these rows and columns of C.
    Work part(runtime::Share rows, runtime::Share columns) const {
        Work part = *this;
        part.product.rows = rows.last - rows.first;
        part.product.columns = columns.last - columns.first;
        part.extras.epilogue.row += rows.first;
        part.extras.epilogue.column += columns.first;
        part.extras.a.first += rows.first;
        part.extras.b.first += columns.first;
        part.arguments = moved(product, arguments, rows.first * product.a.row_stride,
                               columns.first * product.b.column_stride,
                               rows.first * product.c.row_stride + columns.first * product.c.column_stride);
        return part;
    }
};

/// C's elements are neighbours in neither direction: some columns at a time are computed elsewhere.
void multiply_scattered(const Work& work) {
    const MatrixProduct& product = work.product;
    with_number(product.number, [&](auto example) {
        using T = decltype(example);
        constexpr Integer most = 64;
        const Integer width =
            MatrixKernels::of_this_machine(product).schedule().tile.columns; // of packed panels
        const Integer together = most / width * width;
        const T beta = value_at<T>(work.arguments.beta);
        std::vector<T> columns(static_cast<std::size_t>(product.rows * std::min(together, product.columns)));
        for (Integer first = 0; first < product.columns; first += together) {
            Work part = work.part({0, product.rows}, {first, std::min(first + together, product.columns)});
            T* const c = static_cast<T*>(part.arguments.c);
            part.product.c = {.row_stride = 1, .column_stride = product.rows};
            part.arguments.c = columns.data();
            multiply_blocks(MatrixKernels::of_this_machine(product), part.product, part.arguments,
                            gemm::Update::overwrite, part.block_depth, {}, part.extras);
            for (Integer column = 0; column < part.product.columns; ++column)
                for (Integer row = 0; row < product.rows; ++row) {
                    T& element = c[row * product.c.row_stride + column * product.c.column_stride];
                    const T result = columns[static_cast<std::size_t>(column * product.rows + row)];
                    element = beta == T(0) ? result : result + beta * element;
                }
        }
    });
}

/// What is left of a product without α·A·B.
void scale_matrix(const MatrixProduct& product, const MatrixArguments& arguments, void* c, Integer matrix) {
    if (wants_transposition(product)) return scale_matrix(transposed(product), arguments, c, matrix);
    MatrixExtras extras = arguments.extras == nullptr ? MatrixExtras{} : *arguments.extras;
    extras.epilogue.matrix = extras.reductions.matrix = matrix;
    if (!is_stored_apart(product)) {
        planning::scale_matrix(product, arguments.beta, c);
        if (extras.epilogue) apply_epilogue(product, extras.epilogue, c);
        if (extras.reductions) reduce_matrix(product, extras.reductions, c, 1);
        return;
    }
    const ReductionGrid grid{product.rows, product.columns, product.rows, 1};
    std::optional<ReductionParts> parts;
    if (extras.reductions) parts.emplace(product, extras.reductions, grid);
    std::vector<float> sums(static_cast<std::size_t>(product.rows));
    MatrixProduct part = product;
    part.columns = 1;
    for (Integer column = 0; column < product.columns; ++column) {
        std::fill(sums.begin(), sums.end(), 0.0F); // int32 zeros, too
        part.c = {.row_stride = 1, .column_stride = product.rows};
        extras.epilogue.column = column;
        if (extras.epilogue) apply_epilogue(part, extras.epilogue, sums.data());
        if (parts) parts->take(column, sums.data(), 1, product.rows);
        part.c = product.c;
        store_elements(
            sums.data(), part,
            static_cast<std::byte*>(c) + column * product.c.column_stride * bytes_of(product.number_of_c()));
    }
    if (parts) parts->finish();
}

/// Of matrices without elements.
void reduce_nothing(const MatrixProduct& product, const MatrixArguments& arguments) {
    if (arguments.extras == nullptr || !arguments.extras->reductions) return;
    ReductionCall call = arguments.extras->reductions;
    const MatrixProduct oriented = wants_transposition(product) ? transposed(product) : product;
    for (call.matrix = 0; call.matrix < product.batch; ++call.matrix)
        reduce_matrix(oriented, call, nullptr, 1);
}

/// Whether the product has a kernel of its own, which then has run.
bool multiply_small(const std::optional<SmallKey>& key, const MatrixArguments& arguments) {
    const SmallKernel* kernel = key ? SmallProducts::of_this_machine().find(*key) : nullptr;
    if (kernel != nullptr) kernel->run(arguments);
    return kernel != nullptr;
}

/// The same at once, for what needs no second thread and no other orientation.
bool multiply_small(const MatrixProduct& product, const MatrixArguments& arguments, Factor alpha) {
    if (product.batch != 1 || !gemm::suits_small_product(product) || work_of(product) >= 2 * least_share ||
        needs_portable_products())
        return false;
    return multiply_small(
        SmallKey::of(product, update_for(factor_kind(product.number, arguments.beta)), alpha == Factor::one,
                     gemm::small_block_depth(product, target::host_cpu())),
        arguments);
}

void multiply_alone(const Work& work);

/// Blocks of sums that are computed elsewhere.
ReductionGrid grid_of_stored(const Work& work) {
    const MatrixProduct& product = work.product;
    const gemm::Tile& tile = MatrixKernels::of_this_machine(product).schedule().tile;
    const auto whole = [&](Integer width) {
        const Integer grain = work.route ? Integer{gemm::slice_tile} : width;
        return std::max(grain, most_stored_together / grain * grain);
    };
    return {product.rows, product.columns, std::min(whole(tile.rows()), product.rows),
            std::min(whole(tile.columns), product.columns)};
}

/// C's elements are shorter than sums. Blocks first, first + step, … of a grid.
void multiply_stored(const Work& work, const ReductionGrid& grid, Integer first, Integer step,
                     ReductionParts* parts) {
    const MatrixProduct& product = work.product;
    std::vector<float> sums(
        static_cast<std::size_t>(grid.block_rows * grid.block_columns)); // or int32 until they are finished
    for (Integer block = first; block < grid.count(); block += step) {
        const Integer row = block % grid.row_blocks() * grid.block_rows;
        const Integer column = block / grid.row_blocks() * grid.block_columns;
        Work part = work.part({row, std::min(row + grid.block_rows, product.rows)},
                              {column, std::min(column + grid.block_columns, product.columns)});
        const MatrixProduct target = part.product;
        void* const c = part.arguments.c;
        part.product.c_number = product.number == Number::int32 ? Number::float32 : product.number;
        part.product.c = {.row_stride = 1, .column_stride = part.product.rows};
        part.arguments.c = sums.data();
        multiply_alone(part);
        if (parts != nullptr) parts->take(grid.number_at(row, column), sums.data(), 1, part.product.rows);
        store_elements(sums.data(), target, c);
    }
}

/// An epilogue that is not one of tiles waits until all elements are there.
void multiply_alone(const Work& work) {
    if (is_stored_apart(work.product)) return multiply_stored(work, grid_of_stored(work), 0, 1, nullptr);
    const EpilogueCall& epilogue = work.extras.epilogue;
    if (epilogue && !epilogue.epilogue->is_in_tiles()) {
        Work plain = work;
        plain.extras.epilogue = {};
        multiply_alone(plain);
        return apply_epilogue(work.product, epilogue, work.arguments.c);
    }
    if (work.route)
        return multiply_sliced(work.route, work.product, work.arguments, work.update, work.block_depth,
                               epilogue);
    if (needs_portable_products()) return multiply_portable(work.product, work.arguments);
    if (work.product.c.row_stride != 1 && work.product.rows > 1) return multiply_scattered(work);
    if (work.is_small && !epilogue && !work.extras.a && !work.extras.b &&
        multiply_small(SmallKey::of(work.product, work.update, work.alpha_is_one, work.block_depth),
                       work.arguments))
        return;
    multiply_blocks(MatrixKernels::of_this_machine(work.product), work.product, work.arguments, work.update,
                    work.block_depth, {}, work.extras);
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

/// Elements are reduced before they are stored, block by block: these are the threads' shares, too.
void multiply_stored_reduced(const Work& work, int members) {
    const ReductionGrid grid = grid_of_stored(work);
    ReductionParts parts(work.product, work.extras.reductions, grid);
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            multiply_stored(work, grid, member.number(), member.size(), &parts);
        },
        least_seconds(work_of(work.product)));
    parts.finish();
}

void multiply_by_team(const Work& work, int members) {
    if (members <= 1) return multiply_alone(work);
    const gemm::Tile& tile = MatrixKernels::of_this_machine(work.product).schedule().tile;
    const Integer row_grain = work.route ? Integer{gemm::slice_tile} : tile.rows();
    const Integer column_grain = work.route ? Integer{gemm::slice_tile} : tile.columns;
    runtime::run_team(
        members,
        [&](const runtime::TeamMember& member) {
            const auto [along_rows, along_columns] = grid(member.size(), work.product);
            const runtime::Share rows =
                runtime::share_of(work.product.rows, row_grain, member.number() % along_rows, along_rows);
            const runtime::Share columns = runtime::share_of(work.product.columns, column_grain,
                                                             member.number() / along_rows, along_columns);
            if (rows.first < rows.last && columns.first < columns.last)
                multiply_alone(work.part(rows, columns));
        },
        least_seconds(work_of(work.product)));
}

void multiply_one(Work work, int threads) {
    const int wanted = threads_worthwhile(work.product, threads);
    const int members = wanted > 1 ? runtime::team_size(wanted) : 1;
    work.look_at_operands(members);
    const ReductionCall& reductions = work.extras.reductions;
    if (reductions && is_stored_apart(work.product)) return multiply_stored_reduced(work, members);
    multiply_by_team(work, members);
    if (reductions) reduce_matrix(work.product, reductions, work.arguments.c, members);
}

} // namespace

MatrixLayout turned(MatrixLayout layout) {
    std::swap(layout.row_stride, layout.column_stride);
    return layout;
}

Integer block_depth_of(const MatrixProduct& product) {
    if (gemm::suits_small_product(product)) return gemm::small_block_depth(product, target::host_cpu());
    const MatrixKernels& kernels = MatrixKernels::of_this_machine(product);
    const gemm::Schedule& schedule = kernels.schedule();
    return gemm::balanced_block(product.depth, schedule.block_depth,
                                Integer{schedule.unroll} * kernels.numbers().grouping.group());
}

MatrixProduct transposed(const MatrixProduct& product) {
    MatrixProduct result = product;
    std::swap(result.rows, result.columns);
    std::swap(result.a_number, result.b_number);
    result.a = turned(product.b);
    result.b = turned(product.a);
    result.c = turned(product.c);
    return result;
}

MatrixArguments moved(const MatrixProduct& product, const MatrixArguments& arguments, Integer a, Integer b,
                      Integer c) {
    MatrixArguments result = arguments;
    result.a = advanced(arguments.a, a * bytes_of(product.number_of_a()));
    result.b = advanced(arguments.b, b * bytes_of(product.number_of_b()));
    result.c = advanced(arguments.c, c * bytes_of(product.number_of_c()));
    return result;
}

bool wants_transposition(const MatrixProduct& product) {
    return product.c.row_stride != 1 && product.c.column_stride == 1;
}

int threads_worthwhile(const MatrixProduct& product, int threads) {
    return std::max(1, static_cast<int>(std::min<double>(threads, work_of(product) / least_share)));
}

void multiply(const MatrixProduct& product, const MatrixArguments& arguments, int threads) {
    if (product.rows == 0 || product.columns == 0 || product.batch == 0)
        return reduce_nothing(product, arguments);
    const Factor alpha = factor_kind(product.number, arguments.alpha);
    if (product.depth == 0 || alpha == Factor::zero) {
        for (Integer matrix = 0; matrix < product.batch; ++matrix)
            scale_matrix(product, arguments,
                         moved(product, arguments, 0, 0, matrix * product.c.batch_stride).c, matrix);
        return;
    }
    if (arguments.extras == nullptr && multiply_small(product, arguments, alpha)) return;
    const Work work(product, arguments);
    if (product.batch == 1) return multiply_one(work, threads);
    const Items matrices{work_of(product), product.batch, threads_worthwhile(product, threads)};
    share_items({&matrices, 1}, threads, [&](std::size_t, Integer matrix, int threads_for_it) {
        Work one(product, moved(product, arguments, matrix * product.a.batch_stride,
                                matrix * product.b.batch_stride, matrix * product.c.batch_stride));
        one.extras.epilogue.matrix = one.extras.reductions.matrix = matrix;
        one.extras.a.matrix = one.extras.b.matrix = matrix;
        multiply_one(one, threads_for_it);
    });
}

} // namespace swirl::planning
