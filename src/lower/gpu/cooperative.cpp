#include "lower/gpu/cooperative.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>

namespace swirl::lower {

DistributedLoops::DistributedLoops(std::vector<Integer> counts, Sharer sharer, Integer all_blocks)
    : all_blocks_(all_blocks) {
    Integer left = sharer.count, divisor = sharer.divisor;
    for (std::size_t k = counts.size(); k-- > 0;) {
        Level level{counts[k], 1, divisor};
        if (left % counts[k] == 0)
            level.sharers = counts[k];
        else if (counts[k] % left == 0 || k == 0)
            level.sharers = left;
        else
            throw UserError(
                "{} blocks or groups of blocks share loops of {} iterations, but neither count divides "
                "the other; use a power of two",
                left, counts[k]);
        left = level.sharers == left ? 1 : left / level.sharers;
        divisor *= level.sharers;
        levels_.insert(levels_.begin(), level);
    }
    idle_ = {1, left, divisor};
}

bool DistributedLoops::repeats() const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [](const Level& level) { return level.iterations_per_thread() > 1; });
}

bool DistributedLoops::is_even() const {
    return idle_.sharers == 1 && std::all_of(levels_.begin(), levels_.end(), [](const Level& level) {
               return level.iterations_per_thread() * level.sharers == level.count;
           });
}

int DistributedLoops::open(ir::Builder& builder, std::vector<Affine>& indices,
                           std::vector<ir::Condition>& conditions) const {
    using Relation = ir::Condition::Relation;
    const auto digit = [&](const Level& level) {
        if (level.sharers == 1) return Affine(0);
        const bool is_last = level.divisor * level.sharers == all_blocks_;
        return builder.block(0, level.divisor, is_last ? 0 : level.sharers);
    };
    int loops = 0;
    for (const Level& level : levels_) {
        Affine index = digit(level);
        if (level.iterations_per_thread() > 1) {
            index +=
                level.sharers * builder.open_loop(fmt::format("round{}", indices.size()), 0,
                                                  level.iterations_per_thread(), 1, ir::For::Kind::serial);
            ++loops;
        }
        if (level.iterations_per_thread() * level.sharers != level.count)
            conditions.push_back({index - level.count, Relation::negative});
        indices.push_back(std::move(index));
    }
    if (idle_.sharers > 1) conditions.push_back({digit(idle_), Relation::zero});
    return loops;
}

namespace {

bool is_communicated(const KernelRegions& regions, const Memory& memory) {
    return std::find(regions.communicated.begin(), regions.communicated.end(), memory.array) !=
           regions.communicated.end();
}

} // namespace

bool is_written_again(const KernelRegions& regions) {
    const auto touches = [&](const KernelRegion& region, int array) {
        return std::any_of(region.calls.begin(), region.calls.end(), [&](const Call& call) {
            const bool reads = !call.placement.sources.empty() && call.input.array == array;
            return reads || call.output.array == array;
        });
    };
    return std::any_of(regions.communicated.begin(), regions.communicated.end(), [&](int array) {
        return touches(regions.regions.front(), array) && touches(regions.regions.back(), array);
    });
}

std::size_t last_reading(const KernelRegions& regions, const KernelRegion& region) {
    for (std::size_t k = region.calls.size(); k-- > 0;)
        if (!region.calls[k].placement.sources.empty() && is_communicated(regions, region.calls[k].input))
            return k;
    return region.calls.size();
}

std::size_t first_writing(const KernelRegions& regions, const KernelRegion& region) {
    for (std::size_t k = 0; k < region.calls.size(); ++k)
        if (is_communicated(regions, region.calls[k].output)) return k;
    return region.calls.size();
}

void alias_buffers(ir::Program& program, const std::vector<std::vector<ir::Buffer>>& lists) {
    std::vector<ir::Buffer> becomes(program.buffers.size());
    for (std::size_t b = 0; b < becomes.size(); ++b) becomes[b] = static_cast<ir::Buffer>(b);
    std::vector<ir::Buffer> locations;
    for (const auto& list : lists)
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (k == locations.size()) locations.push_back(list[k]);
            becomes[static_cast<std::size_t>(list[k])] = locations[k];
            Integer& elements = program.buffers[static_cast<std::size_t>(locations[k])].elements;
            elements = std::max(elements, program.buffers[static_cast<std::size_t>(list[k])].elements);
        }
    std::vector<ir::BufferInfo> kept;
    std::vector<ir::Buffer> new_index(becomes.size());
    for (std::size_t b = 0; b < becomes.size(); ++b)
        if (becomes[b] == static_cast<ir::Buffer>(b)) {
            new_index[b] = static_cast<ir::Buffer>(kept.size());
            kept.push_back(std::move(program.buffers[b]));
        }
    const auto renumber = [&](ir::Buffer& buffer) {
        buffer = new_index[static_cast<std::size_t>(becomes[static_cast<std::size_t>(buffer)])];
    };
    for (ir::Operation& operation : program.operations)
        if (ir::accesses_memory(operation.opcode)) renumber(operation.address.buffer);
    ir::for_each_statement(program.body, [&](ir::Statement& statement) {
        if (auto* barrier = std::get_if<ir::Barrier>(&statement.node);
            barrier && barrier->of_cooperative_group)
            renumber(barrier->counter.buffer);
    });
    program.buffers = std::move(kept);
}

} // namespace swirl::lower
