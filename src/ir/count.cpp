#include "ir/count.hpp"

#include "ir/ranges.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <bit>

namespace swirl::ir {

namespace {

/// Walks a program with the number of executions of each statement, multiplying by trip counts. Only if a bound or
/// condition inside a loop depends on its variable does it walk single iterations.
class WeightedWalk {
public:
    WeightedWalk(const Program& program, std::span<const Integer> parameters,
                 const std::function<void(const StraightLineBlock&, Integer)>& f)
        : program_(program),
          f_(f),
          decides_(program.variables.size(), 0),
          known_(program.variables.size(), 0),
          values_(program.variables.size(), 0) {
        for (std::size_t v = 0; v < program.variables.size(); ++v) {
            const VariableInfo& info = program.variables[v];
            if (info.kind != VariableInfo::Kind::parameter || info.axis >= std::ssize(parameters)) continue;
            known_[v] = 1;
            values_[v] = parameters[static_cast<std::size_t>(info.axis)];
        }
        find_deciding_variables();
    }

    void walk() { launch(0, 1); }

private:
    static std::size_t at(Variable variable) { return static_cast<std::size_t>(variable); }

    void find_deciding_variables() {
        const auto mark = [this](const Affine& form) {
            for (const Affine::Term& term : form.terms()) decides_[at(term.variable)] = 1;
        };
        std::vector<const For*> loops;
        for_each_statement(program_.body, [&](const Statement& statement) {
            has_roles_ = has_roles_ || std::holds_alternative<WarpRoles>(statement.node);
            if (const auto* loop = std::get_if<For>(&statement.node)) {
                mark(loop->begin);
                mark(loop->end);
                loops.push_back(loop);
            } else if (const auto* choice = std::get_if<If>(&statement.node)) {
                for (const Condition& condition : choice->conditions) mark(condition.form);
            }
        });
        // Inner loops first: if an induction matters, so does the variable it starts from.
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
            for (const Induction& induction : (*loop)->inductions)
                if (decides_[at(induction.variable)]) {
                    decides_[at((*loop)->variable)] = 1;
                    mark(induction.start);
                }
    }

    /// Treats threads and blocks as the outermost loops.
    void launch(std::size_t dimension, Integer times) {
        if (dimension == 6) return walk(program_.body, times);
        const bool thread = dimension >= 3;
        const std::size_t axis = dimension % 3;
        const Integer extent = thread ? program_.launch.threads[axis] : program_.launch.blocks[axis];
        const VariableInfo::Kind kind = thread ? VariableInfo::Kind::thread : VariableInfo::Kind::block;
        std::vector<std::size_t> variables;
        for (std::size_t v = 0; v < program_.variables.size(); ++v)
            if (program_.variables[v].kind == kind && program_.variables[v].axis == static_cast<int>(axis) &&
                decides_[v])
                variables.push_back(v);
        const bool decides_role = has_roles_ && thread && axis == 0;
        if (variables.empty() && !decides_role) return launch(dimension + 1, times * extent);
        for (const std::size_t v : variables) known_[v] = 1;
        for (Integer i = 0; i < extent; ++i) {
            for (const std::size_t v : variables) values_[v] = program_.variables[v].digit_of(i);
            if (decides_role) thread_ = i;
            launch(dimension + 1, times);
        }
    }

    Integer evaluate(const Affine& form) const {
        return form.evaluate([this](Variable variable) {
            ensure(known_[at(variable)] != 0, "'{}': a count depends on '{}', which has no value",
                   program_.name, program_.variables[at(variable)].name);
            return values_[at(variable)];
        });
    }

    void walk(const Body& body, Integer times) {
        for (const Statement& statement : body) {
            if (const auto* block = std::get_if<StraightLineBlock>(&statement.node))
                f_(*block, times);
            else if (const auto* loop = std::get_if<For>(&statement.node))
                walk(*loop, times);
            else if (const auto* choice = std::get_if<If>(&statement.node))
                walk(holds(*choice) ? choice->then : choice->otherwise, times);
            else if (const auto* warp_roles = std::get_if<WarpRoles>(&statement.node))
                for (const WarpRole& role : warp_roles->roles)
                    if (thread_ >= role.first_thread && thread_ < role.first_thread + role.threads)
                        walk(role.body, times);
        }
    }

    void walk(const For& loop, Integer times) {
        const Integer begin = loop.begin == loop.end ? 0 : evaluate(loop.begin);
        const Integer trips = loop.begin == loop.end ? 0 : iterations(evaluate(loop.end) - begin, loop.step);
        if (trips == 0) return;
        if (!decides_[at(loop.variable)]) return walk(loop.body, times * trips);
        known_[at(loop.variable)] = 1;
        std::vector<Integer> starts;
        for (const Induction& induction : loop.inductions)
            starts.push_back(decides_[at(induction.variable)] ? evaluate(induction.start) : 0);
        for (Integer i = 0; i < trips; ++i) {
            values_[at(loop.variable)] = begin + i * loop.step;
            for (std::size_t k = 0; k < starts.size(); ++k) {
                const Induction& induction = loop.inductions[k];
                values_[at(induction.variable)] = starts[k] + i * induction.step;
                known_[at(induction.variable)] = decides_[at(induction.variable)];
            }
            walk(loop.body, times);
        }
    }

    bool holds(const If& choice) const {
        return std::all_of(choice.conditions.begin(), choice.conditions.end(), [&](const Condition& one) {
            return one.holds_of(evaluate(one.form)); // data counts as 0
        });
    }

    const Program& program_;
    const std::function<void(const StraightLineBlock&, Integer)>& f_;
    std::vector<char> decides_; ///< variables that affect a bound or condition
    std::vector<char> known_;
    std::vector<Integer> values_;
    bool has_roles_ = false;
    Integer thread_ = 0; ///< along x, if it selects the role
};

Integer& counter_of(const Operation& operation, OperationCounts& counts, Integer& uncounted) {
    switch (operation.opcode) {
    case Opcode::constant: return uncounted;
    case Opcode::load:
    case Opcode::tma_load: return counts.loads;
    case Opcode::store:
    case Opcode::tma_store: return counts.stores;
    case Opcode::wgmma: return counts.instructions;
    case Opcode::splat: return counts.splats;
    case Opcode::shuffle: return counts.shuffles;
    case Opcode::index: return counts.integers;
    default: break;
    }
    if (is_integer(operation.type.scalar) && operation.opcode != Opcode::instruction) return counts.integers;
    switch (operation.opcode) {
    case Opcode::add:
    case Opcode::subtract: return counts.additions;
    case Opcode::multiply: return counts.multiplications;
    case Opcode::fma:
    case Opcode::fms:
    case Opcode::fnma: return counts.fused;
    case Opcode::divide:
    case Opcode::square_root: return counts.divisions;
    case Opcode::magnitude:
    case Opcode::negate: return counts.negations;
    case Opcode::less:
    case Opcode::select: return counts.comparisons;
    case Opcode::power_of_two:
    case Opcode::convert: return counts.conversions;
    case Opcode::instruction:
        return operation.instruction->lane_map.empty() ? counts.instructions : counts.shuffles;
    default: return uncounted;
    }
}

void add(const Operation& operation, Integer times, bool by_lanes, OperationCounts& counts) {
    const bool access = accesses_memory(operation.opcode);
    if (operation.opcode == Opcode::instruction)
        counts.flops_of_instructions += times * operation.instruction->flops;
    if (operation.opcode == Opcode::wgmma) // a thread's share of its warpgroup
        counts.flops_of_instructions +=
            times * operation.tile->instruction->flops() / operation.tile->instruction->threads;
    if (by_lanes) times *= access ? operation.active : operation.type.lanes;
    if (operation.opcode == Opcode::atomic_add) {
        counts.stores += times;
        (is_floating(operation.type.scalar) ? counts.additions : counts.integers) += times;
        return;
    }
    Integer uncounted = 0;
    counter_of(operation, counts, uncounted) += times;
}

/// Traffic between global memory and the shared memory of one or several blocks.
void add_box(const Program& program, const Operation& operation, Integer times,
             std::vector<TrafficCounts>& traffic) {
    const TensorInfo& tensor = program.tensors[static_cast<std::size_t>(operation.tile->tensor)];
    const auto buffer = static_cast<std::size_t>(tensor.buffer);
    Integer bytes = times * bytes_of(program.buffers[buffer].element);
    for (const Integer extent : tensor.box) bytes *= extent;
    TrafficCounts& shared = traffic[static_cast<std::size_t>(operation.address.buffer)];
    if (operation.opcode == Opcode::tma_load) {
        traffic[buffer].loaded += bytes;
        shared.stored += bytes * std::max(1, std::popcount(operation.tile->blocks));
    } else {
        shared.loaded += bytes;
        traffic[buffer].stored += bytes;
    }
}

} // namespace

void for_each_weighted_block(const Program& program, std::span<const Integer> parameters,
                             const std::function<void(const StraightLineBlock&, Integer)>& f) {
    WeightedWalk(program, parameters, f).walk();
}

OperationCounts count_operations(const Program& program, const CountOptions& options) {
    OperationCounts counts;
    const auto count = [&](const StraightLineBlock& block, Integer times) {
        for (const Value value : block.operations) add(program[value], times, options.lanes, counts);
    };
    if (options.loops)
        for_each_weighted_block(program, options.parameters, count);
    else
        for_each_straight_line_block(program, [&](const StraightLineBlock& block) { count(block, 1); });
    return counts;
}

std::vector<TrafficCounts> count_traffic(const Program& program, std::span<const Integer> parameters) {
    std::vector<TrafficCounts> traffic(program.buffers.size());
    for_each_weighted_block(program, parameters, [&](const StraightLineBlock& block, Integer times) {
        for (const Value value : block.operations) {
            const Operation& operation = program[value];
            if (operation.opcode == Opcode::tma_load || operation.opcode == Opcode::tma_store)
                add_box(program, operation, times, traffic);
            if (!accesses_memory(operation.opcode)) continue;
            TrafficCounts& of = traffic[static_cast<std::size_t>(operation.address.buffer)];
            const Integer bytes = times * operation.active * bytes_of(operation.type.scalar);
            if (operation.opcode != Opcode::store) of.loaded += bytes;
            if (operation.opcode != Opcode::load) of.stored += bytes;
        }
    });
    return traffic;
}

} // namespace swirl::ir
