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
    Footprint footprint; ///< of iteration 0

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
            items_.push_back(
                {static_cast<int>(p), is_store, segment[buffer], stride, table_.footprint(first, 1)});
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
            block.columns.reserve(static_cast<std::size_t>(widest));
            while (i < end && static_cast<Integer>(block.columns.size()) < widest &&
                   items_[i].footprint.offset == next) {
                block.columns.emplace_back();
                for (; i < end && items_[i].footprint.offset == next; ++i)
                    block.columns.back().push_back(items_[i].position);
                ++next;
            }
            finish(std::move(block), operation_of(items_[first]));
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
        for (MemoryBlock::Column& column : block.columns) {
            if (block.is_store) column = {column.back()};
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
        if (to - from == end - begin) return false;
        std::vector<Reach> reaches;
        for (std::size_t i = from; i < to; ++i) reaches.push_back(reach(items_[i]));
        for (std::size_t i = begin; i < end; ++i)
            for (std::size_t other = from; other < to; ++other)
                if ((other < begin || other >= end) && may_overlap(reaches[i - from], reaches[other - from]))
                    return true;
        return false;
    }

    struct Reach {
        Footprint lanes;          ///< of all iterations
        std::optional<Range> all; ///< of the address in all iterations of all loops, if known
    };
    Reach reach(const Item& item) const {
        const Address& address = operation_of(item).address;
        Reach result{item.footprint, std::nullopt};
        result.lanes.lane_stride = item.stride;
        result.lanes.active = static_cast<int>(constant_trip_count(loop_));
        if (address.dynamic == no_value) result.all = ranges_.range(address.index);
        return result;
    }
    bool may_overlap(const Reach& a, const Reach& b) const {
        if (a.all && b.all && (a.all->high < b.all->low || b.all->high < a.all->low)) return false;
        return table_.may_overlap(a.lanes, b.lanes);
    }
    const Operation& operation_of(const Item& item) const {
        return program_[body_.operations[static_cast<std::size_t>(item.position)]];
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
