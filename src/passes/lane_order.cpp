#include "passes/lane_order.hpp"

#include "ir/analysis.hpp"
#include "passes/statements.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::passes {
namespace {

using namespace ir;
using Kind = MemoryBlock::Kind;

/// iteration of lane w·u + t, for 16-byte units of w lanes: unpcklpd and unpckhpd of ν = 8 doubles give 0 4 1 5 2 6 3
/// 7
std::vector<int> unpacked_order(int lanes, DataType scalar) {
    const int unit = std::min<Integer>(lanes, 16 / bytes_of(scalar));
    std::vector<int> order;
    for (int l = 0; l < lanes; ++l) {
        const int u = l / unit;
        const int t = l % unit;
        order.push_back(unit == 1 ? l : u * unit / 2 + t % (unit / 2) + (t < unit / 2 ? 0 : lanes / 2));
    }
    return order;
}

bool is_aligned(const Affine& index, Integer block) {
    if (modulo(index.constant(), block) != 0) return false;
    return std::all_of(index.terms().begin(), index.terms().end(),
                       [&](const Affine::Term& term) { return modulo(term.coefficient, block) == 0; });
}

/// Union-find of loops and scratch buffers that must share an order. Sets are numbered: loops first, then buffers.
class Choice {
public:
    Choice(Program& program, std::vector<VectorLoop>& loops, int lanes)
        : program_(program),
          loops_(loops),
          lanes_(lanes),
          parents_(loops.size() + program.buffers.size()),
          natural_(parents_.size(), false),
          gains_(parents_.size(), false) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }

    LaneOrders run(DataType scalar) {
        LaneOrders orders;
        orders.order = unpacked_order(lanes_, scalar);
        orders.inverse.resize(orders.order.size());
        for (std::size_t l = 0; l < orders.order.size(); ++l)
            orders.inverse[static_cast<std::size_t>(orders.order[l])] = static_cast<int>(l);
        orders.permuted.assign(program_.buffers.size(), false);
        orders.table_for_permuted_loops.assign(program_.buffers.size(), -1);
        if (std::is_sorted(orders.order.begin(), orders.order.end())) return orders;
        constrain();
        for (std::size_t l = 0; l < loops_.size(); ++l) loops_[l].permuted = is_permuted(l);
        for (std::size_t b = 0; b < program_.buffers.size(); ++b)
            orders.permuted[b] = is_permuted(loops_.size() + b);
        permute_tables(orders);
        return orders;
    }

private:
    std::size_t set_of(std::size_t member) {
        while (parents_[member] != member) member = parents_[member] = parents_[parents_[member]];
        return member;
    }
    void join(std::size_t a, std::size_t b) {
        a = set_of(a);
        b = set_of(b);
        parents_[b] = a;
        natural_[a] = natural_[a] || natural_[b];
        gains_[a] = gains_[a] || gains_[b];
    }
    void keep_natural(std::size_t member) { natural_[set_of(member)] = true; }
    bool is_permuted(std::size_t member) { return gains_[set_of(member)] && !natural_[set_of(member)]; }
    std::size_t member_of(Buffer buffer) const { return loops_.size() + static_cast<std::size_t>(buffer); }
    Space space_of(Buffer buffer) const { return program_.buffers[static_cast<std::size_t>(buffer)].space; }

    void constrain() {
        std::vector<char> in_block(program_.operations.size(), false);
        for (std::size_t l = 0; l < loops_.size(); ++l) {
            if (loops_[l].trips != lanes_) keep_natural(l);
            for (const MemoryBlock& block : loops_[l].blocks.blocks) constrain(l, block);
            for (const Value value : loops_[l].body->operations)
                in_block[static_cast<std::size_t>(value)] = true;
        }
        for_each_operation(program_, [&](Value value) {
            if (accesses_memory(program_[value].opcode) && !in_block[static_cast<std::size_t>(value)])
                keep_natural(member_of(program_[value].address.buffer));
        });
    }

    /// Loads of a caller's auxiliary array are few: a shuffle of each costs less than another order of the data.
    bool is_auxiliary(Buffer buffer) const {
        return program_.buffers[static_cast<std::size_t>(buffer)].role.argument == ArgumentRole::auxiliary;
    }

    void constrain(std::size_t loop, const MemoryBlock& block) {
        const Buffer buffer = block.address.buffer;
        const Space space = space_of(buffer);
        const bool is_private = space == Space::scratch || space == Space::local;
        const bool whole = block.address.dynamic == no_value && is_aligned(block.address.index, lanes_);
        switch (block.kind) {
        case Kind::contiguous:
            if (space == Space::table && whole && block.stride == 1 &&
                is_floating(program_.buffers[static_cast<std::size_t>(buffer)].element))
                return;
            if (is_private && whole && block.stride == 1 && loops_[loop].trips == lanes_)
                return join(loop, member_of(buffer));
            if (block.stride == 1 && !is_auxiliary(buffer)) keep_natural(loop);
            break;
        case Kind::rows:
            if (is_private && whole && block.stride % lanes_ == 0 &&
                static_cast<int>(block.columns.size()) == lanes_)
                return;
            break;
        case Kind::pairs: gains_[set_of(loop)] = true; break;
        case Kind::strided: keep_natural(loop); break;
        case Kind::uniform: break;
        }
        keep_natural(member_of(buffer));
    }

    /// Copies every table that permuted loops read contiguously, or permutes it in place if it has no other reads.
    void permute_tables(LaneOrders& orders) {
        std::vector<int> other_uses(program_.buffers.size(), 0);
        for_each_operation(program_, [&](Value value) {
            if (accesses_memory(program_[value].opcode))
                ++other_uses[static_cast<std::size_t>(program_[value].address.buffer)];
        });
        std::vector<std::size_t> tables;
        for (const VectorLoop& loop : loops_)
            for (const MemoryBlock& block : loop.blocks.blocks) {
                const auto buffer = static_cast<std::size_t>(block.address.buffer);
                if (!loop.permuted || block.kind != Kind::contiguous || block.stride != 1 ||
                    space_of(block.address.buffer) != Space::table)
                    continue;
                tables.push_back(buffer);
                other_uses[buffer] -= static_cast<int>(block.columns[0].size());
            }
        for (const std::size_t table : tables) {
            if (orders.table_for_permuted_loops[table] >= 0) continue;
            if (other_uses[table] == 0) {
                orders.table_for_permuted_loops[table] = static_cast<Buffer>(table);
                own(program_.buffers[table].contents).permute_blocks(orders.order);
            } else {
                BufferInfo permuted = program_.buffers[table];
                own(permuted.contents).permute_blocks(orders.order);
                orders.table_for_permuted_loops[table] = static_cast<Buffer>(program_.buffers.size());
                permuted.name += "_unpacked";
                program_.buffers.push_back(std::move(permuted));
            }
        }
    }

    Program& program_;
    std::vector<VectorLoop>& loops_;
    int lanes_;
    std::vector<std::size_t> parents_;
    std::vector<char> natural_; ///< by set: some member requires the natural order
    std::vector<char> gains_;   ///< by set: some loop has interleaved pairs
};

} // namespace

LaneOrders choose_lane_orders(Program& program, std::vector<VectorLoop>& loops, int lanes) {
    DataType scalar = DataType::boolean;
    bool mixed = false;
    for (const BufferInfo& buffer : program.buffers) {
        if (!is_floating(buffer.element)) continue;
        mixed = mixed || (scalar != DataType::boolean && scalar != buffer.element);
        scalar = buffer.element;
    }
    // With floating-point types of two sizes, or of less than 4 bytes, everything keeps its natural order.
    if (mixed || scalar == DataType::boolean || bytes_of(scalar) < 4) {
        Program none;
        std::vector<VectorLoop> no_loops;
        LaneOrders orders = Choice(none, no_loops, lanes).run(DataType::float64);
        orders.permuted.assign(program.buffers.size(), false);
        orders.table_for_permuted_loops.assign(program.buffers.size(), -1);
        return orders;
    }
    return Choice(program, loops, lanes).run(scalar);
}

} // namespace swirl::passes
