#include "plan/gemm/cpu/reductions.hpp"

#include "base/error.hpp"
#include "plan/expression_evaluation.hpp"
#include "plan/gemm/cpu/epilogue.hpp"
#include "plan/gemm/cpu/host_reduction.hpp"
#include "plan/gemm/cpu/multiply.hpp"
#include "problem/matrix_product.hpp"
#include "runtime/cpu/team.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// Block size for elements in memory: a multiple of the elements evaluated at once.
constexpr Integer usual_rows = 4 * evaluation_block, usual_columns = 256;

/// The type of finished elements.
DataType finished_type(DataType data_type) {
    return data_type == DataType::int32 ? DataType::float32 : data_type;
}

} // namespace

MatrixReductions::MatrixReductions(const MatrixProduct& product) : first_result_(arrays_of(product).size()) {
    const bool is_transposed = wants_transposition(product);
    for (const Reduction& reduction : product.reductions) {
        Over over = reduction.over;
        if (is_transposed && over != Over::all) over = over == Over::rows ? Over::columns : Over::rows;
        all_.push_back({LoweredExpression(product, scope_of(product, reduction), reduction.of),
                        reduction.operation, over, results_of_matrix(product, reduction.over)});
    }
}

void MatrixReductions::generate_for(const MatrixProduct& product, const target::Cpu& cpu, KernelCheck check) {
    const MatrixProduct canonical = wants_transposition(product) ? transposed(product) : product;
    const DataType finished = finished_type(product.data_type);
    for (One& one : all_) {
        const gemm::Epilogue& code = one.expression.code();
        const bool is_x = code.nodes.size() == 1 && code.nodes.front().op == loops::Pointwise::Op::x;
        one.of_block = ElementwiseKernels::shared(
            {.data_type = finished,
             .expression = is_x ? gemm::Epilogue{} : code,
             .row_stride = needs_conversion_buffer(product) ? 1 : canonical.c.row_stride,
             .result = gemm::ReducedElements{one.operation, one.over}},
            canonical.rows, canonical.columns, cpu, check);
        one.of_partials = ElementwiseKernels::shared(
            {.data_type = DataType::float64, .result = gemm::ReducedElements{one.operation, Over::columns}},
            one.of_matrix, std::max(canonical.rows, canonical.columns), cpu, check);
        if (component_of(finished) == DataType::float32)
            one.store = ElementwiseKernels::shared(
                {.data_type = DataType::float64, .result = gemm::StoredElements{DataType::float32, 1}},
                one.of_matrix, 1, cpu, check);
    }
}

PartialReductions::PartialReductions(const MatrixProduct& canonical, const ReductionCall& call,
                                     const ReductionGrid& grid)
    : product_(canonical), call_(call), grid_(grid) {
    for (const MatrixReductions::One& one : call.reductions->all())
        partials_.emplace_back(static_cast<std::size_t>(one.of_matrix * partials_of_result(one.over)),
                               identity_of(one.operation));
}

Integer PartialReductions::partials_of_result(Over over) const {
    switch (over) {
    case Over::columns: return grid_.column_blocks();
    case Over::rows: return grid_.row_blocks();
    case Over::all: return grid_.count();
    }
    return 0;
}

double* PartialReductions::partials(std::size_t k, Integer block) {
    const MatrixReductions::One& one = call_.reductions->all()[k];
    const Integer row = block / grid_.column_blocks(), column = block % grid_.column_blocks();
    Integer offset = block;
    if (one.over == Over::columns) offset = column * one.of_matrix + row * grid_.block_rows;
    if (one.over == Over::rows) offset = row * one.of_matrix + column * grid_.block_columns;
    return partials_[k].data() + offset;
}

PartialReductions::Extents PartialReductions::extents_of(Integer block) const {
    const Integer first_row = block / grid_.column_blocks() * grid_.block_rows;
    const Integer first_column = block % grid_.column_blocks() * grid_.block_columns;
    return {first_row, first_column, std::min(grid_.block_rows, grid_.rows - first_row),
            std::min(grid_.block_columns, grid_.columns - first_column)};
}

void PartialReductions::take(Integer block, const void* c, Integer row_stride, Integer column_stride) {
    const Extents block_extents = extents_of(block);
    for (std::size_t k = 0; k < partials_.size(); ++k) {
        const MatrixReductions::One& one = call_.reductions->all()[k];
        const ExpressionCall call{&one.expression, call_.arrays, call_.matrix, block_extents.first_row,
                                  block_extents.first_column};
        if (one.of_block == nullptr)
            reduce_on_host(call, one.operation, one.over,
                           {finished_type(product_.data_type), c, row_stride, column_stride,
                            block_extents.rows, block_extents.columns},
                           partials(k, block));
        else
            one.of_block->run({.rows = block_extents.rows,
                               .columns = block_extents.columns,
                               .elements = const_cast<void*>(c),
                               .column_stride = column_stride,
                               .results = partials(k, block)},
                              row_stride, [&](std::size_t index) { return call.operand(index, 0, 0); });
    }
}

void PartialReductions::finish() {
    const Integer bytes = bytes_of(component_of(finished_type(product_.data_type)));
    for (std::size_t k = 0; k < partials_.size(); ++k) {
        const MatrixReductions::One& one = call_.reductions->all()[k];
        const void* const array = call_.arrays[call_.reductions->first_result() + k];
        void* const results =
            static_cast<std::byte*>(const_cast<void*>(array)) + call_.matrix * one.of_matrix * bytes;
        const Integer partials_per_result = partials_of_result(one.over);
        if (one.of_partials == nullptr) {
            combine_on_host(one.operation, partials_[k].data(), one.of_matrix, partials_per_result,
                            product_.data_type, results);
            continue;
        }
        std::vector<double> totals(static_cast<std::size_t>(one.of_matrix), identity_of(one.operation));
        const auto no_operand = [](std::size_t) -> const void* { return nullptr; };
        one.of_partials->run({.rows = one.of_matrix,
                              .columns = partials_per_result,
                              .elements = partials_[k].data(),
                              .column_stride = one.of_matrix,
                              .results = totals.data()},
                             1, no_operand);
        if (one.store == nullptr)
            std::copy(totals.begin(), totals.end(), static_cast<double*>(results));
        else
            one.store->run(
                {.rows = one.of_matrix, .columns = 1, .elements = totals.data(), .results = results}, 1,
                no_operand);
    }
}

ReductionGrid usual_grid(const MatrixProduct& canonical) {
    return {canonical.rows, canonical.columns, usual_rows, usual_columns};
}

void reduce_matrix(const MatrixProduct& canonical, const ReductionCall& call, const void* c, int threads) {
    const ReductionGrid grid = usual_grid(canonical);
    PartialReductions partials(canonical, call, grid);
    const Integer bytes =
        bytes_of(canonical.data_type == DataType::int32 ? DataType::float32 : canonical.data_type);
    const auto take = [&](Integer block) {
        const Integer row = block / grid.column_blocks() * grid.block_rows;
        const Integer column = block % grid.column_blocks() * grid.block_columns;
        const Integer offset = row * canonical.c.row_stride + column * canonical.c.column_stride;
        partials.take(block, static_cast<const std::byte*>(c) + offset * bytes, canonical.c.row_stride,
                      canonical.c.column_stride);
    };
    const int members = static_cast<int>(std::min<Integer>(threads, grid.count()));
    if (members <= 1)
        for (Integer block = 0; block < grid.count(); ++block) take(block);
    else
        runtime::run_team(members, [&](const runtime::TeamMember& member) {
            for (Integer block = member.index(); block < grid.count(); block += member.size()) take(block);
        });
    partials.finish();
}

} // namespace swirl::planning
