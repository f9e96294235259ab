#include "passes/scalar_replacement.hpp"

#include "ir/analysis.hpp"
#include "passes/demanded_lanes.hpp"
#include "passes/footprint.hpp"
#include "passes/statements.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::passes {
namespace {

using namespace ir;

/// By buffer: whether the straight-line block both writes and reads it. Only these matter.
std::vector<char> exchanged_buffers(const Program& program, const StraightLineBlock& block) {
    std::vector<char> loaded(program.buffers.size(), false), stored(loaded);
    for (const Value value : block.operations) {
        const Operation& operation = program[value];
        if (accesses_memory(operation.opcode))
            (operation.opcode == Opcode::load ? loaded
                                              : stored)[static_cast<std::size_t>(operation.address.buffer)] =
                true;
    }
    for (std::size_t b = 0; b < loaded.size(); ++b) stored[b] = stored[b] && loaded[b];
    return stored;
}

/// Loads that become values, and stores overwritten within their straight-line block.
class Forwarding {
public:
    explicit Forwarding(Program& program)
        : program_(program), demanded_(demanded_lanes(program)), same_(program.operations.size()) {
        std::iota(same_.begin(), same_.end(), 0);
    }

    void visit(StraightLineBlock& block) {
        stores_.assign(program_.buffers.size(), {});
        exchanged_ = exchanged_buffers(program_, block);
        dead_.clear();
        kept_.clear();
        for (const Value value : block.operations)
            if (!replace(value)) kept_.push_back(value);
        block.operations = kept_;
        if (dead_.empty()) return;
        std::sort(dead_.begin(), dead_.end());
        std::erase_if(block.operations,
                      [&](Value value) { return std::binary_search(dead_.begin(), dead_.end(), value); });
    }

private:
    struct Store {
        Footprint footprint;
        Value store;
        bool read; ///< by a remaining load
    };

    bool replace(Value value) {
        Operation& operation = program_[value];
        for_each_operand(operation,
                         [&](Value& operand) { operand = same_[static_cast<std::size_t>(operand)]; });
        if (!accesses_memory(operation.opcode)) return false;
        const auto buffer = static_cast<std::size_t>(operation.address.buffer);
        if (!exchanged_[buffer]) return false;
        const Footprint footprint = table_.footprint(operation);
        auto& stores = stores_[buffer];
        if (operation.opcode == Opcode::load) return forward(value, footprint, stores);
        std::erase_if(stores, [&](const Store& earlier) {
            if (earlier.footprint == footprint && !earlier.read && operation.opcode == Opcode::store)
                dead_.push_back(earlier.store);
            return table_.may_overlap(earlier.footprint, footprint);
        });
        if (operation.opcode == Opcode::store) stores.push_back({footprint, value, false});
        return false;
    }

    bool forward(Value load, const Footprint& footprint, std::vector<Store>& stores) {
        const Operation& operation = program_[load];
        const DataType element = program_.buffers[static_cast<std::size_t>(operation.address.buffer)].element;
        // Lanes that a load sets to 0 must not matter: the stored value may hold anything there.
        const int active = active_lanes(operation);
        const bool whole =
            operation.type.scalar == element &&
            (active == operation.type.lanes || demanded_[static_cast<std::size_t>(load)] >> active == 0);
        for (const Store& store : stores)
            if (whole && store.footprint == footprint && program_[store.store].type == operation.type) {
                same_[static_cast<std::size_t>(load)] = program_[store.store].operands[0];
                return true;
            }
        if (whole && assemble(load, footprint, stores)) return true;
        for (Store& store : stores) store.read = store.read || table_.may_overlap(store.footprint, footprint);
        return false;
    }

    /// Replaces a vector whose lanes are in a few stored ones by shuffles of these. A load would wait until the stores have
    /// reached the cache where none of them alone has what it reads.
    bool assemble(Value load, const Footprint& footprint, const std::vector<Store>& stores) {
        constexpr std::size_t most_sources = 4;
        const Type type = program_[load].type;
        if (type.lanes < 2 || type.lanes > 64 || footprint.lane_stride != 1) return false;
        const std::uint64_t demanded = demanded_[static_cast<std::size_t>(load)];
        struct Source {
            Value vector;
            std::vector<std::int8_t> map; ///< by lane of the load: the lane of `vector`, or −1
        };
        std::vector<Source> sources;
        for (int lane = 0; lane < footprint.active; ++lane) {
            if ((demanded >> lane & 1) == 0) continue;
            const Integer offset = footprint.offset + lane;
            const auto store = std::find_if(stores.begin(), stores.end(), [&](const Store& each) {
                return each.footprint.shape == footprint.shape && each.footprint.lane_stride == 1 &&
                       each.footprint.offset <= offset &&
                       offset < each.footprint.offset + each.footprint.active;
            });
            if (store == stores.end() || program_[store->store].type != type) return false;
            const Value vector = program_[store->store].operands[0];
            auto source = std::find_if(sources.begin(), sources.end(),
                                       [&](const Source& each) { return each.vector == vector; });
            if (source == sources.end()) {
                if (sources.size() == most_sources) return false;
                sources.push_back(
                    {vector, std::vector<std::int8_t>(static_cast<std::size_t>(type.lanes), -1)});
                source = sources.end() - 1;
            }
            source->map[static_cast<std::size_t>(lane)] =
                static_cast<std::int8_t>(offset - store->footprint.offset);
        }
        if (sources.empty()) return false;
        Value whole = sources[0].vector;
        std::vector<std::int8_t> map = std::move(sources[0].map);
        if (sources.size() == 1) whole = shuffle(whole, whole, map);
        for (std::size_t k = 1; k < sources.size(); ++k) {
            for (std::size_t lane = 0; lane < map.size(); ++lane)
                if (sources[k].map[lane] >= 0)
                    map[lane] = static_cast<std::int8_t>(sources[k].map[lane] + type.lanes);
            whole = shuffle(whole, sources[k].vector, map);
            for (std::size_t lane = 0; lane < map.size(); ++lane)
                if (map[lane] >= 0) map[lane] = static_cast<std::int8_t>(lane);
        }
        same_[static_cast<std::size_t>(load)] = whole;
        return true;
    }

    Value shuffle(Value a, Value b, std::vector<std::int8_t> map) {
        const auto value = static_cast<Value>(program_.operations.size());
        Operation operation;
        operation.opcode = Opcode::shuffle;
        operation.type = program_[a].type;
        operation.operands = {a, b, no_value};
        operation.lane_map = std::move(map);
        program_.operations.push_back(std::move(operation));
        same_.push_back(value);
        kept_.push_back(value);
        return value;
    }

    Program& program_;
    FootprintTable table_;
    std::vector<std::uint64_t> demanded_;    ///< by value: lanes that matter
    std::vector<Value> same_;                ///< by value: its replacement
    std::vector<std::vector<Store>> stores_; ///< by buffer: those still in memory
    std::vector<char> exchanged_;            ///< by buffer: whether the block both writes and reads it
    std::vector<Value> kept_, dead_;         ///< of the straight-line block
};

bool is_private(Space space) { return space == Space::scratch || space == Space::local; }

/// All accesses to a buffer.
struct Accesses {
    bool is_stored = false;
    bool is_loaded = false;
    bool is_constant = true; ///< at constant indices
    /// The latest straight-line block that loads, and that stores; −1: none.
    int loading_block = -1, storing_block = -1;
    bool is_exchanged = false; ///< some block does both
};

std::vector<Accesses> accesses_of(const Program& program) {
    std::vector<Accesses> accesses(program.buffers.size());
    int index = 0;
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        for (const Value value : block.operations) {
            const Operation& operation = program[value];
            if (!accesses_memory(operation.opcode)) continue;
            Accesses& of_buffer = accesses[static_cast<std::size_t>(operation.address.buffer)];
            of_buffer.is_constant = of_buffer.is_constant && operation.address.index.is_constant() &&
                                    operation.address.dynamic == no_value;
            (operation.opcode == Opcode::store ? of_buffer.is_stored : of_buffer.is_loaded) = true;
            (operation.opcode == Opcode::load ? of_buffer.loading_block : of_buffer.storing_block) = index;
            of_buffer.is_exchanged =
                of_buffer.is_exchanged || of_buffer.loading_block == of_buffer.storing_block;
        }
        ++index;
    });
    return accesses;
}

/// Removes stores to private memory that no load reads: by buffer, and by element if all indices are constant.
void remove_unread_stores(Program& program, const std::vector<Accesses>& accesses) {
    bool is_needed = false;
    for (std::size_t b = 0; b < accesses.size(); ++b)
        is_needed = is_needed || (is_private(program.buffers[b].space) && accesses[b].is_stored &&
                                  (accesses[b].is_constant || !accesses[b].is_loaded));
    if (!is_needed) return;
    FootprintTable table;
    std::vector<std::vector<Footprint>> loads(program.buffers.size()); // at constant indices
    for_each_operation(program, [&](Value value) {
        const Operation& operation = program[value];
        if (!accesses_memory(operation.opcode) || operation.opcode == Opcode::store) return;
        const auto buffer = static_cast<std::size_t>(operation.address.buffer);
        if (accesses[buffer].is_constant) loads[buffer].push_back(table.footprint(operation));
    });
    const auto is_unread = [&](Value value) {
        const Operation& operation = program[value];
        if (operation.opcode != Opcode::store) return false;
        const auto buffer = static_cast<std::size_t>(operation.address.buffer);
        if (!is_private(program.buffers[buffer].space)) return false;
        if (!accesses[buffer].is_loaded) return true;
        if (!accesses[buffer].is_constant) return false;
        const Footprint footprint = table.footprint(operation);
        return std::none_of(loads[buffer].begin(), loads[buffer].end(),
                            [&](const Footprint& load) { return table.may_overlap(load, footprint); });
    };
    for_each_straight_line_block(
        program, [&](StraightLineBlock& block) { std::erase_if(block.operations, is_unread); });
}

} // namespace

Program scalar_replacement(Program program) {
    std::vector<Accesses> accesses = accesses_of(program);
    if (std::any_of(accesses.begin(), accesses.end(), [](const Accesses& a) { return a.is_exchanged; })) {
        Forwarding forwarding(program);
        for_each_straight_line_block(program, [&](StraightLineBlock& block) { forwarding.visit(block); });
        accesses = accesses_of(program);
    }
    remove_unread_stores(program, accesses);
    tidy(program.body);
    return program;
}

} // namespace swirl::passes
