#include "passes/demanded_lanes.hpp"

#include "ir/analysis.hpp"

#include <algorithm>

namespace swirl::passes {
namespace {

using namespace ir;

constexpr std::uint64_t all_lanes = ~std::uint64_t{0};

std::uint64_t first_lanes(int count) { return count >= 64 ? all_lanes : (std::uint64_t{1} << count) - 1; }

class Demand {
public:
    explicit Demand(const Program& program) : program_(program), lanes_(program.operations.size(), 0) {}

    std::vector<std::uint64_t> run() {
        std::vector<const StraightLineBlock*> blocks;
        for_each_straight_line_block(program_,
                                     [&](const StraightLineBlock& block) { blocks.push_back(&block); });
        // Uses follow definitions, so one backward walk sees all users first.
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block)
            std::for_each((*block)->operations.rbegin(), (*block)->operations.rend(),
                          [&](Value value) { visit(value); });
        return std::move(lanes_);
    }

private:
    void demand(Value value, std::uint64_t lanes) { lanes_[static_cast<std::size_t>(value)] |= lanes; }

    void visit(Value value) {
        const Operation& operation = program_[value];
        const std::uint64_t here = lanes_[static_cast<std::size_t>(value)];
        if (has_address(operation.opcode) && operation.address.dynamic != no_value)
            demand(operation.address.dynamic, all_lanes);
        switch (operation.opcode) {
        case Opcode::constant:
        case Opcode::index:
        case Opcode::load: return;
        case Opcode::store: return demand(operation.operands[0], first_lanes(operation.active));
        case Opcode::splat: return demand(operation.operands[0], 1);
        case Opcode::shuffle: return visit_shuffle(operation, here);
        case Opcode::negate:
        case Opcode::add:
        case Opcode::subtract:
        case Opcode::multiply:
        case Opcode::divide:
        case Opcode::square_root:
        case Opcode::magnitude:
        case Opcode::power_of_two:
        case Opcode::fma:
        case Opcode::fms:
        case Opcode::fnma:
        case Opcode::convert:
        case Opcode::bit_and:
        case Opcode::bit_xor:
        case Opcode::less:
        case Opcode::select:
            for (const Value operand : operands(operation)) demand(operand, here);
            return;
        case Opcode::prefetch: return;
        case Opcode::atomic_add:
        case Opcode::bitcast:
        case Opcode::tma_load:
        case Opcode::tma_store:
        case Opcode::wgmma:
        case Opcode::mbarrier_init:
        case Opcode::mbarrier_arrive:
        case Opcode::mbarrier_arrive_expect_tx:
        case Opcode::mbarrier_wait:
        case Opcode::instruction:
            for (const Value operand : operands(operation)) demand(operand, all_lanes);
        }
    }

    void visit_shuffle(const Operation& operation, std::uint64_t here) {
        const auto [a, b, c] = operation.operands;
        const int lanes = program_[a].type.lanes;
        for (std::size_t l = 0; l < operation.lane_map.size(); ++l) {
            const int source = operation.lane_map[l];
            if (source < 0 || (here >> l & 1) == 0) continue;
            if (source < lanes)
                demand(a, std::uint64_t{1} << source);
            else
                demand(b, std::uint64_t{1} << (source - lanes));
        }
    }

    const Program& program_;
    std::vector<std::uint64_t> lanes_;
};

} // namespace

std::vector<std::uint64_t> demanded_lanes(const Program& program) { return Demand(program).run(); }

} // namespace swirl::passes
