#include "emit/gpu_c/launch.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace swirl::emit {

void expect_gpu_launch(const ir::Program& program) {
    const ir::Launch& launch = program.launch;
    ensure(launch != ir::Launch{}, "'{}' has no launch: it is a program for a CPU", program.name);
    constexpr std::array<Integer, 3> most_threads = {1024, 1024, 64};
    constexpr std::array<Integer, 3> most_blocks = {2147483647, 65535, 65535};
    Integer threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        ensure(launch.threads[axis] >= 1 && launch.threads[axis] <= most_threads[axis] &&
                   launch.blocks[axis] >= 1 && launch.blocks[axis] <= most_blocks[axis],
               "'{}' is launched as {} blocks of {} threads along axis {}; GPUs have up to {} and {}",
               program.name, launch.blocks[axis], launch.threads[axis], axis, most_blocks[axis],
               most_threads[axis]);
        threads *= launch.threads[axis];
    }
    ensure(threads <= 1024, "'{}' has {} threads a block; GPUs have up to 1024", program.name, threads);
}

Integer known_alignment(const ir::VariableRanges& ranges, const ir::Address& address, Integer base,
                        Integer element_bytes) {
    const Affine counters = ranges.in_counters(address.index);
    Integer result = std::gcd(base, counters.constant() * element_bytes);
    if (address.dynamic != ir::no_value) result = std::gcd(result, address.dynamic_scale * element_bytes);
    for (const Affine::Term& term : counters.terms())
        result = std::gcd(result, term.coefficient * element_bytes);
    return result;
}

ClusterAddress cluster_address(const ir::Program& program, const ir::VariableRanges& ranges,
                               const ir::Address& address) {
    const Integer per_block =
        program.buffers[static_cast<std::size_t>(address.buffer)].dsmem_elements_per_block;
    ClusterAddress result{0, address};
    Affine within = 0;
    for (const Affine::Term& term : address.index.terms())
        if (term.coefficient % per_block == 0)
            result.rank += Affine::of(term.variable, term.coefficient / per_block);
        else
            within += Affine::of(term.variable, term.coefficient);
    const std::optional<ir::Range> range = ranges.range(within);
    ensure(range.has_value(), "an index into a cluster's memory without bounds");
    const Integer block = floor_divide(address.index.constant() + range->low, per_block);
    const Integer rest = address.index.constant() - block * per_block;
    result.is_computed = rest + range->high >= per_block;
    if (result.is_computed) return result;
    result.rank += block;
    result.within.index = within + rest;
    result.is_own =
        std::any_of(program.variables.begin(), program.variables.end(), [&](const ir::VariableInfo& info) {
            const auto variable = static_cast<Variable>(&info - program.variables.data());
            return info.kind == ir::VariableInfo::Kind::block && info.axis == 0 && info.divisor == 1 &&
                   (info.modulus == program.launch.cluster ||
                    (info.modulus == 0 && program.launch.blocks[0] == program.launch.cluster)) &&
                   result.rank == Affine::of(variable);
        });
    return result;
}

int lanes_per_access(const ir::Operation& operation, int lane, Integer alignment, int most) {
    if (operation.address.lane_stride != 1) return 1;
    const Integer size = bytes_of(operation.type.scalar);
    const Integer here = std::gcd(alignment, lane * size);
    for (int count = most; count > 1; count /= 2)
        if (count <= operation.active - lane && count * size <= widest_access && here % (count * size) == 0)
            return count;
    return 1;
}

} // namespace swirl::emit
