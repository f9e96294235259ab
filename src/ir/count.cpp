#include "ir/count.hpp"

#include "ir/ranges.hpp"
#include "ir/tile.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

namespace swirl::ir {

namespace {

/// Walks a program and counts the executions of each straight-line block, multiplying by trip counts. Only if a bound or
/// condition inside a loop depends on its variable does it walk single iterations. Of the threads or blocks along one
/// dimension it walks one of each range for which all bounds and conditions decide alike.
class WeightedWalk {
public:
    WeightedWalk(const Program& program, std::span<const Integer> parameters)
        : program_(program),
          decides_(program.variables.size(), 0),
          known_(program.variables.size(), 0),
          values_(program.variables.size(), 0),
          moves_(program.variables.size(), 0) {
        for (std::size_t v = 0; v < program.variables.size(); ++v) {
            const VariableInfo& info = program.variables[v];
            if (info.kind != VariableInfo::Kind::parameter || info.axis >= std::ssize(parameters)) continue;
            known_[v] = 1;
            values_[v] = parameters[static_cast<std::size_t>(info.axis)];
        }
        find_deciding_variables();
        find_axes();
    }

    /// Executions in the whole launch, of blocks that are executed.
    std::unordered_map<const StraightLineBlock*, Integer> executions() {
        launch(0);
        return std::move(total_);
    }

private:
    /// A dimension of the launch along which threads or blocks decide differently.
    struct Axis {
        Integer extent;
        std::vector<std::size_t> digits = {}; ///< variables that decide
        bool selects_role = false;
        Integer run = extent; ///< indices over which each digit is affine
    };

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

    /// Indices from `index` on over which the digit is affine: constant, or one more each.
    static Integer rest_of_run(const VariableInfo& digit, Integer index) {
        if (digit.divisor > 1) return digit.divisor - index % digit.divisor;
        return digit.modulus == 0 ? std::numeric_limits<Integer>::max()
                                  : digit.modulus - index % digit.modulus;
    }

    /// Threads and blocks are the outermost loops; the one with the longest runs is the innermost of these.
    void find_axes() {
        for (const bool is_thread : {false, true})
            for (std::size_t axis = 0; axis < 3; ++axis) {
                Axis found{.extent =
                               is_thread ? program_.launch.threads[axis] : program_.launch.blocks[axis]};
                const auto kind = is_thread ? VariableInfo::Kind::thread : VariableInfo::Kind::block;
                found.selects_role = has_roles_ && is_thread && axis == 0;
                for (std::size_t v = 0; v < program_.variables.size(); ++v) {
                    const VariableInfo& info = program_.variables[v];
                    if (info.kind != kind || info.axis != static_cast<int>(axis) || !decides_[v]) continue;
                    found.digits.push_back(v);
                    found.run = std::min(found.run, rest_of_run(info, 0));
                }
                if (found.digits.empty() && !found.selects_role)
                    times_ *= found.extent;
                else
                    axes_.push_back(std::move(found));
            }
        std::stable_sort(axes_.begin(), axes_.end(),
                         [](const Axis& a, const Axis& b) { return a.run < b.run; });
    }

    void launch(std::size_t k) {
        if (k == axes_.size()) {
            executed_.clear();
            walk(program_.body, times_);
            for (const auto& [block, times] : executed_) total_[block] += times * alike_;
            return;
        }
        const Axis& axis = axes_[k];
        const bool is_last = k + 1 == axes_.size();
        for (const std::size_t v : axis.digits) known_[v] = 1;
        for (Integer i = 0; i < axis.extent; i += is_last ? alike_ : 1) {
            Integer run = axis.extent - i;
            for (const std::size_t v : axis.digits) {
                const VariableInfo& digit = program_.variables[v];
                values_[v] = digit.digit_of(i);
                moves_[v] = is_last && digit.divisor == 1 ? 1 : 0;
                run = std::min(run, rest_of_run(digit, i));
            }
            if (axis.selects_role) thread_ = i;
            if (is_last) alike_ = run;
            thread_moves_ = is_last && axis.selects_role ? 1 : 0;
            launch(k + 1);
        }
    }

    Integer evaluate(const Affine& form) const {
        return form.evaluate([this](Variable variable) {
            ensure(known_[at(variable)] != 0, "'{}': a count depends on '{}', which has no value",
                   program_.name, program_.variables[at(variable)].name);
            return values_[at(variable)];
        });
    }

    /// How much a form changes from one thread or block to the next along the innermost dimension.
    Integer movement(const Affine& form) const {
        Integer sum = 0;
        for (const Affine::Term& term : form.terms()) sum += term.coefficient * moves_[at(term.variable)];
        return sum;
    }

    /// x < 0, also for the threads or blocks that are counted alike.
    bool is_negative(Integer x, Integer movement) {
        if (x < 0 && movement > 0) alike_ = std::min(alike_, ceil_divide(-x, movement));
        if (x >= 0 && movement < 0) alike_ = std::min(alike_, x / -movement + 1);
        return x < 0;
    }

    void walk(const Body& body, Integer times) {
        for (const Statement& statement : body) {
            if (const auto* block = std::get_if<StraightLineBlock>(&statement.node))
                executed_[block] += times;
            else if (const auto* loop = std::get_if<For>(&statement.node))
                walk(*loop, times);
            else if (const auto* choice = std::get_if<If>(&statement.node))
                walk(holds(*choice) ? choice->then : choice->otherwise, times);
            else if (const auto* warp_roles = std::get_if<WarpRoles>(&statement.node))
                for (const WarpRole& role : warp_roles->roles) {
                    const Integer within = thread_ - role.first_thread;
                    if (!is_negative(within, thread_moves_) &&
                        is_negative(within - role.threads, thread_moves_))
                        walk(role.body, times);
                }
        }
    }

    void walk(const For& loop, Integer times) {
        const Integer begin = loop.begin == loop.end ? 0 : evaluate(loop.begin);
        const Integer trips = loop.begin == loop.end ? 0 : iterations(evaluate(loop.end) - begin, loop.step);
        if (movement(loop.begin) != 0 || movement(loop.end) != 0) alike_ = 1;
        if (trips == 0) return;
        if (!decides_[at(loop.variable)]) return walk(loop.body, times * trips);
        known_[at(loop.variable)] = 1;
        std::vector<Integer> starts;
        for (const Induction& induction : loop.inductions)
            if (decides_[at(induction.variable)]) {
                starts.push_back(evaluate(induction.start));
                moves_[at(induction.variable)] = movement(induction.start);
            } else {
                starts.push_back(0);
            }
        for (Integer i = 0; i < trips; ++i) {
            values_[at(loop.variable)] = begin + i * loop.step;
            for (std::size_t k = 0; k < starts.size(); ++k) {
                const Induction& induction = loop.inductions[k];
                values_[at(induction.variable)] = starts[k] + induction.distance(i, trips);
                known_[at(induction.variable)] = decides_[at(induction.variable)];
            }
            walk(loop.body, times);
        }
    }

    bool holds(const If& choice) {
        return std::all_of(choice.conditions.begin(), choice.conditions.end(), [&](const Condition& one) {
            const Integer x = evaluate(one.form), moves = movement(one.form); // data counts as 0
            is_negative(x, moves);
            if (one.relation == Condition::Relation::zero) is_negative(-x, -moves);
            return one.holds_of(x);
        });
    }

    const Program& program_;
    std::vector<char> decides_; ///< variables that affect a bound or condition
    std::vector<char> known_;
    std::vector<Integer> values_;
    std::vector<Integer> moves_; ///< changes of values along the innermost dimension
    std::vector<Axis> axes_;
    Integer times_ = 1; ///< threads and blocks along the other dimensions
    Integer alike_ = 1; ///< along the innermost dimension, from the present one on
    std::unordered_map<const StraightLineBlock*, Integer> executed_, total_;
    bool has_roles_ = false;
    Integer thread_ = 0; ///< along x, if it selects the role
    Integer thread_moves_ = 0;
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
    const auto executions = WeightedWalk(program, parameters).executions();
    for_each_straight_line_block(program, [&](const StraightLineBlock& block) {
        const auto executed = executions.find(&block);
        if (executed != executions.end()) f(block, executed->second);
    });
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
