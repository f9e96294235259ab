#include "lower/gpu_group.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>

namespace swirl::lower {

ShareOfLoops::ShareOfLoops(std::vector<Integer> counts, Sharer sharer, Integer all_blocks)
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
                "{} blocks or groups of blocks share loops of {} iterations, which neither divides "
                "the other; use a power of two",
                left, counts[k]);
        left = level.sharers == left ? 1 : left / level.sharers;
        divisor *= level.sharers;
        levels_.insert(levels_.begin(), level);
    }
    idle_ = {1, left, divisor};
}

bool ShareOfLoops::repeats() const {
    return std::any_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.turns() > 1; });
}

bool ShareOfLoops::is_even() const {
    return idle_.sharers == 1 && std::all_of(levels_.begin(), levels_.end(), [](const Level& level) {
               return level.turns() * level.sharers == level.count;
           });
}

int ShareOfLoops::open(ir::Builder& builder, std::vector<Affine>& indices,
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
        if (level.turns() > 1) {
            index += level.sharers * builder.open_loop(fmt::format("turn{}", indices.size()), 0,
                                                       level.turns(), 1, ir::For::Kind::serial);
            ++loops;
        }
        if (level.turns() * level.sharers != level.count)
            conditions.push_back({index - level.count, Relation::negative});
        indices.push_back(std::move(index));
    }
    if (idle_.sharers > 1) conditions.push_back({digit(idle_), Relation::zero});
    return loops;
}

namespace {

bool is_carried(const GpuParts& parts, const Memory& memory) {
    return std::find(parts.carried.begin(), parts.carried.end(), memory.array) != parts.carried.end();
}

} // namespace

bool is_written_again(const GpuParts& parts) {
    const auto touches = [&](const GpuPart& part, int array) {
        return std::any_of(part.calls.begin(), part.calls.end(), [&](const Call& call) {
            const bool reads = !call.placement.sources.empty() && call.input.array == array;
            return reads || call.output.array == array;
        });
    };
    return std::any_of(parts.carried.begin(), parts.carried.end(), [&](int array) {
        return touches(parts.parts.front(), array) && touches(parts.parts.back(), array);
    });
}

std::size_t last_reading(const GpuParts& parts, const GpuPart& part) {
    for (std::size_t k = part.calls.size(); k-- > 0;)
        if (!part.calls[k].placement.sources.empty() && is_carried(parts, part.calls[k].input)) return k;
    return part.calls.size();
}

std::size_t first_writing(const GpuParts& parts, const GpuPart& part) {
    for (std::size_t k = 0; k < part.calls.size(); ++k)
        if (is_carried(parts, part.calls[k].output)) return k;
    return part.calls.size();
}

void lay_over(ir::Program& program, const std::vector<std::vector<ir::Buffer>>& lists) {
    std::vector<ir::Buffer> becomes(program.buffers.size());
    for (std::size_t b = 0; b < becomes.size(); ++b) becomes[b] = static_cast<ir::Buffer>(b);
    std::vector<ir::Buffer> places;
    for (const auto& list : lists)
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (k == places.size()) places.push_back(list[k]);
            becomes[static_cast<std::size_t>(list[k])] = places[k];
            Integer& elements = program.buffers[static_cast<std::size_t>(places[k])].elements;
            elements = std::max(elements, program.buffers[static_cast<std::size_t>(list[k])].elements);
        }
    std::vector<ir::BufferInfo> kept;
    std::vector<ir::Buffer> numbers(becomes.size());
    for (std::size_t b = 0; b < becomes.size(); ++b)
        if (becomes[b] == static_cast<ir::Buffer>(b)) {
            numbers[b] = static_cast<ir::Buffer>(kept.size());
            kept.push_back(std::move(program.buffers[b]));
        }
    const auto renumber = [&](ir::Buffer& buffer) {
        buffer = numbers[static_cast<std::size_t>(becomes[static_cast<std::size_t>(buffer)])];
    };
    for (ir::Operation& operation : program.operations)
        if (ir::accesses_memory(operation.opcode)) renumber(operation.address.buffer);
    ir::for_each_statement(program.body, [&](ir::Statement& statement) {
        if (auto* barrier = std::get_if<ir::Barrier>(&statement.node); barrier && barrier->of_group)
            renumber(barrier->counter.buffer);
    });
    program.buffers = std::move(kept);
}

} // namespace swirl::lower
