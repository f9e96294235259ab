#include "gemm/gpu/epilogue/reduction.hpp"

#include "gemm/gpu/simt/layout.hpp"

#include <algorithm>
#include <bit>

namespace swirl::gemm {

namespace {

using ir::Value;
using Relation = ir::Condition::Relation;

/// Threads of a block that reduces partials.
constexpr Integer most_threads = 256, least_threads = 32;

Integer power_of_two_from(Integer value) {
    return static_cast<Integer>(std::bit_ceil(static_cast<std::uint64_t>(std::max<Integer>(value, 1))));
}

} // namespace

Value reduce_lanes(ir::Builder& builder, Reduce operation, Value vector) {
    const int lanes = builder.type(vector).lanes;
    Value result = vector;
    for (int lane = 0; lane < lanes && lanes > 1; ++lane) {
        const Value one = builder.shuffle(vector, vector, {static_cast<std::int8_t>(lane)});
        result = lane == 0 ? one : reduce_two(builder, operation, result, one);
    }
    return result;
}

Integer threads_of_result(const ReductionPartials& partials) {
    return std::min(power_of_two_from(partials.partials),
                    partials.results < least_threads ? most_threads : Integer{8});
}

ir::BufferInfo buffer_of_reduction_partials(const GpuReduction& reduction, const ReductionPartials& partials,
                                            DataType scalar, std::optional<KernelPath> path) {
    ir::BufferInfo buffer;
    buffer.name = (partials.are_results() ? "reduction_" : "partials_") + reduction.name;
    if (!partials.are_results() && path == KernelPath::fallback) buffer.name += "_fallback";
    buffer.element = scalar;
    if (partials.are_results()) buffer.role = {ir::ArgumentRole::reduction, reduction.index};
    buffer.space = partials.are_results() ? ir::Space::argument : ir::Space::scratch;
    buffer.elements = partials.results * partials.partials;
    buffer.written = true;
    return buffer;
}

/// Adjacent threads of a block have adjacent results; several threads share one result's partials, interleaved.
ir::Program gpu_reduce(const GpuReduction& reduction, const ReductionPartials& partials, DataType scalar,
                       std::optional<KernelPath> path) {
    ir::Builder builder("reduce_" + reduction.name + (path == KernelPath::fallback ? "_fallback" : ""));
    const Integer along_partials = threads_of_result(partials);
    const Integer along_results =
        std::clamp(power_of_two_from(partials.results), std::max<Integer>(1, least_threads / along_partials),
                   most_threads / along_partials);
    const Integer blocks = ceil_divide(partials.results, along_results);
    builder.launch({.blocks = {blocks, 1, 1}, .threads = {along_partials * along_results, 1, 1}});
    const Affine in_block = thread_digit(builder, 1, along_results);
    const Affine partial = thread_digit(builder, along_results, along_partials);
    const Affine result = builder.block(0) * along_results + in_block;
    const ir::Condition exists{result - partials.results, Relation::negative};
    const ir::Buffer results =
        builder.add(buffer_of_reduction_partials(reduction, {partials.results, 1}, scalar));
    const ir::Buffer from = partials.partials > 0
                                ? builder.add(buffer_of_reduction_partials(reduction, partials, scalar, path))
                                : results;
    const ir::Buffer others = builder.shared("reduced_by_threads", scalar, along_partials * along_results);
    const ir::Buffer reduced = builder.local("reduced", scalar, 1);
    const auto take = [&](ir::Buffer buffer, const Affine& at) {
        const Value value = builder.load(buffer, at);
        builder.store(reduced, 0, reduce_two(builder, reduction.operation, builder.load(reduced, 0), value));
    };
    const auto reduce = [&] {
        builder.store(reduced, 0, identity_of(builder, {scalar, 1}, reduction.operation));
        if (partials.partials > 0)
            builder.if_then({exists}, [&] {
                builder.for_loop("partial", partial, partials.partials, along_partials, ir::For::Kind::serial,
                                 [&](const Affine& split) { take(from, split * partials.results + result); });
            });
        builder.store(others, partial * along_results + in_block, builder.load(reduced, 0));
        builder.barrier();
        std::vector<ir::Condition> is_first = {exists};
        if (along_partials > 1) is_first.push_back({partial, Relation::zero});
        builder.if_then(is_first, [&] {
            builder.for_loop("partner", 1, along_partials, 1, ir::For::Kind::serial,
                             [&](const Affine& other) { take(others, other * along_results + in_block); });
            builder.store(results, result, builder.load(reduced, 0));
        });
    };
    if_holds(builder, path ? std::optional(range_check_selects(builder, *path)) : std::nullopt, reduce);
    return builder.finish();
}

} // namespace swirl::gemm
