#include "passes/memory_blocks.hpp"

#include "ir/analysis.hpp"
#include "passes/footprint.hpp"
#include "passes/statements.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace swirl::passes {
namespace {

using namespace ir;

/// One access of the body.
struct Item {
    int position;
    bool is_store;
    int segment; ///< of its buffer: loads, then stores; a load after a store starts the next segment
    Integer stride;
    Footprint footprint;        ///< of iteration 0
    Footprint lanes;            ///< of all iterations
    std::optional<Range> reach; ///< of the address in all iterations of all loops, if known

    auto group() const { return std::tuple(footprint.buffer, is_store, segment, footprint.shape, stride); }
    bool operator<(const Item& other) const {
        return std::tuple(group(), footprint.offset, position) <
               std::tuple(other.group(), other.footprint.offset, other.position);
    }
};

class Grouping {
public:
    Grouping(const Program& program, const VariableRanges& ranges, const For& loop,
             const StraightLineBlock& body, int lanes)
        : program_(program), ranges_(ranges), loop_(loop), body_(body), lanes_(lanes) {}

    MemoryBlocks run() {
        result_.block_of.assign(body_.operations.size(), -1);
        collect();
        std::sort(items_.begin(), items_.end());
        for (std::size_t begin = 0, end; begin < items_.size(); begin = end) {
            end = begin + 1;
            while (end < items_.size() && items_[end].group() == items_[begin].group()) ++end;
            add_group(begin, end);
        }
        return std::move(result_);
    }

private:
    void collect() {
        const int trips = static_cast<int>(constant_trip_count(loop_));
        std::vector<int> segment(program_.buffers.size(), 0);
        std::vector<bool> stored(program_.buffers.size(), false);
        for (std::size_t p = 0; p < body_.operations.size(); ++p) {
            const Operation& operation = program_[body_.operations[p]];
            if (!accesses_memory(operation.opcode)) continue;
            const bool is_store = operation.opcode != Opcode::load;
            const auto buffer = static_cast<std::size_t>(operation.address.buffer);
            if (!is_store && stored[buffer]) ++segment[buffer];
            stored[buffer] = is_store;
            Address first = operation.address;
            first.index = operation.address.index.substitute(loop_.variable, loop_.begin);
            const Integer stride = operation.address.index.coefficient(loop_.variable) * loop_.step;
            Footprint lanes = table_.footprint(first, 1);
            const Footprint footprint = lanes;
            lanes.lane_stride = stride;
            lanes.active = trips;
            const bool known = operation.address.dynamic == no_value;
            items_.push_back({static_cast<int>(p), is_store, segment[buffer], stride, footprint, lanes,
                              known ? ranges_.range(operation.address.index) : std::nullopt});
        }
    }

    void add_group(std::size_t begin, std::size_t end) {
        const Integer stride = items_[begin].stride;
        const bool may_join = std::abs(stride) >= 2 && !stores_overlap_others(begin, end);
        for (std::size_t i = begin; i < end;) {
            MemoryBlock block;
            block.is_store = items_[i].is_store;
            block.stride = stride;
            const Integer widest = !may_join ? 1 : std::abs(stride) == 2 ? 2 : lanes_;
            Integer next = items_[i].footprint.offset;
            const std::size_t first = i;
            while (i < end && static_cast<Integer>(block.columns.size()) < widest &&
                   items_[i].footprint.offset == next) {
                block.columns.emplace_back();
                for (; i < end && items_[i].footprint.offset == next; ++i)
                    block.columns.back().push_back(items_[i].position);
                ++next;
            }
            finish(std::move(block),
                   program_[body_.operations[static_cast<std::size_t>(items_[first].position)]]);
        }
    }

    void finish(MemoryBlock block, const Operation& first) {
        const int index = static_cast<int>(result_.blocks.size());
        block.address = first.address;
        block.address.index = first.address.index.substitute(loop_.variable, loop_.begin);
        const bool joined = block.columns.size() > 1;
        block.kind = joined
                         ? (std::abs(block.stride) == 2 ? MemoryBlock::Kind::pairs : MemoryBlock::Kind::rows)
                     : block.stride == 0           ? MemoryBlock::Kind::uniform
                     : std::abs(block.stride) == 1 ? MemoryBlock::Kind::contiguous
                                                   : MemoryBlock::Kind::strided;
        block.position = block.columns.front().front();
        for (std::vector<int>& column : block.columns) {
            if (block.is_store) column.erase(column.begin(), column.end() - 1);
            for (const int position : column) {
                result_.block_of[static_cast<std::size_t>(position)] = index;
                block.position =
                    block.is_store ? std::max(block.position, position) : std::min(block.position, position);
            }
        }
        result_.blocks.push_back(std::move(block));
    }

    /// Whether some store of the group may overlap a store of another group in the same segment.
    bool stores_overlap_others(std::size_t begin, std::size_t end) const {
        if (!items_[begin].is_store) return false;
        const auto same_segment = [&](const Item& item) {
            return item.is_store && item.footprint.buffer == items_[begin].footprint.buffer &&
                   item.segment == items_[begin].segment;
        };
        std::size_t from = begin;
        std::size_t to = end;
        while (from > 0 && same_segment(items_[from - 1])) --from;
        while (to < items_.size() && same_segment(items_[to])) ++to;
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t other = from; other < to; ++other)
                if ((other < begin || other >= end) && !are_disjoint(items_[i], items_[other]) &&
                    table_.may_overlap(items_[i].lanes, items_[other].lanes))
                    return true;
        return false;
    }

    static bool are_disjoint(const Item& a, const Item& b) {
        return a.reach && b.reach && (a.reach->high < b.reach->low || b.reach->high < a.reach->low);
    }

    const Program& program_;
    const VariableRanges& ranges_;
    const For& loop_;
    const StraightLineBlock& body_;
    int lanes_;
    FootprintTable table_;
    std::vector<Item> items_;
    MemoryBlocks result_;
};

} // namespace

MemoryBlocks find_memory_blocks(const Program& program, const VariableRanges& ranges, const For& loop,
                                const StraightLineBlock& body, int lanes) {
    return Grouping(program, ranges, loop, body, lanes).run();
}

} // namespace swirl::passes
