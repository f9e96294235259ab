#include "passes/unroll.hpp"

#include "ir/analysis.hpp"
#include "passes/statements.hpp"

#include <numeric>
#include <optional>

namespace swirl::passes {
namespace {

using namespace ir;

bool is_unrolled(const For& loop, Integer serial_trip_count) {
    if (loop.kind == For::Kind::vector) return false;
    if (loop.kind == For::Kind::unrolled) return true;
    const Integer trips = constant_trip_count(loop);
    return trips >= 0 && trips <= serial_trip_count;
}

bool outcome_is_known(const If& condition) {
    bool known = true;
    for (const Condition& c : condition.conditions) known = known && c.form.is_constant();
    return known;
}

bool needs_unrolling(const Body& body, Integer serial_trip_count) {
    bool needed = false;
    for_each_statement(body, [&](const Statement& statement) {
        if (const auto* loop = std::get_if<For>(&statement.node))
            needed = needed || is_unrolled(*loop, serial_trip_count);
        else if (const auto* condition = std::get_if<If>(&statement.node))
            needed = needed || outcome_is_known(*condition);
    });
    return needed;
}

/// Rebuilds the statement tree with a new table of operations.
class Unroller {
public:
    Unroller(Program source, const UnrollOptions& options)
        : source_(std::move(source)),
          options_(options),
          copies_(source_.operations.size(), no_value),
          values_(source_.variables.size()),
          bound_before_(source_.variables.size(), false) {}

    Program run() {
        operations_.reserve(source_.operations.capacity());
        Body body;
        copy(source_.body, body);
        source_.operations = std::move(operations_);
        source_.body = std::move(body);
        return std::move(source_);
    }

private:
    void copy(const Body& from, Body& to) {
        for (const Statement& statement : from)
            std::visit([&](const auto& node) { copy(node, to); }, statement.node);
    }

    void copy(const StraightLineBlock& block, Body& to) {
        auto& copied = block_at_end(to).operations;
        for (const Value value : block.operations) {
            if (is_last_copy_)
                operations_.push_back(std::move(source_[value]));
            else
                operations_.push_back(source_[value]);
            Operation& operation = operations_.back();
            for_each_operand(operation,
                             [&](Value& operand) { operand = copies_[static_cast<std::size_t>(operand)]; });
            operation.address.index = replaced(std::move(operation.address.index));
            copies_[static_cast<std::size_t>(value)] = static_cast<Value>(operations_.size() - 1);
            copied.push_back(copies_[static_cast<std::size_t>(value)]);
        }
    }

    void copy(const For& loop, Body& to) {
        For changed = loop;
        changed.begin = replaced(loop.begin);
        changed.end = replaced(loop.end);
        if (!is_unrolled(changed, options_.serial_trip_count)) return copy_loop(loop, std::move(changed), to);
        const Integer trips = constant_trip_count(changed);
        ensure(trips >= 0, "loop {} is to be unrolled, but its trip count is no constant",
               source_.variables[static_cast<std::size_t>(loop.variable)].name);
        std::vector<Affine> starts;
        for (const Induction& induction : loop.inductions) starts.push_back(replaced(induction.start));
        const bool is_last_copy = is_last_copy_;
        for (Integer trip = 0; trip < trips; ++trip) {
            is_last_copy_ = is_last_copy && trip + 1 == trips;
            bind(loop.variable, changed.begin + trip * loop.step);
            for (std::size_t i = 0; i < starts.size(); ++i)
                bind(loop.inductions[i].variable, starts[i] + loop.inductions[i].distance(trip, trips));
            copy(loop.body, to);
        }
        is_last_copy_ = is_last_copy;
    }

    void copy_loop(const For& loop, For changed, Body& to) {
        for (Induction& induction : changed.inductions) {
            induction.start = replaced(induction.start);
            induction.variable = own_variable(induction.variable);
        }
        changed.variable = own_variable(loop.variable);
        changed.body.clear();
        copy(loop.body, changed.body);
        append(to, {std::move(changed)});
    }

    void copy(const If& condition, Body& to) {
        If changed;
        for (Condition c : condition.conditions) {
            c.form = replaced(c.form);
            if (!c.form.is_constant())
                changed.conditions.push_back(std::move(c));
            else if (!holds(c))
                return copy(condition.otherwise, to);
        }
        if (changed.conditions.empty()) return copy(condition.then, to);
        copy(condition.then, changed.then);
        copy(condition.otherwise, changed.otherwise);
        append(to, {std::move(changed)});
    }

    void copy(WarpRoles warp_roles, Body& to) {
        for (WarpRole& role : warp_roles.roles) {
            const Body body = std::move(role.body);
            role.body.clear();
            copy(body, role.body);
        }
        append(to, {std::move(warp_roles)});
    }

    void copy(const AsyncFence& fence, Body& to) { append(to, {fence}); }

    void copy(Barrier barrier, Body& to) {
        barrier.counter.index = replaced(barrier.counter.index);
        append(to, {std::move(barrier)});
    }

    static bool holds(const Condition& condition) {
        const Integer value = condition.form.constant();
        switch (condition.relation) {
        case Condition::Relation::negative: return value < 0;
        case Condition::Relation::nonnegative: return value >= 0;
        case Condition::Relation::zero: return value == 0;
        }
        return false;
    }

    /// `variable` itself in the first copy of its loop, new variables in later copies.
    Variable own_variable(Variable variable) {
        const auto v = static_cast<std::size_t>(variable);
        if (!bound_before_[v]) {
            bound_before_[v] = true;
            return variable;
        }
        const Variable own = clone_variable(source_, variable);
        bind(variable, Affine::of(own));
        return own;
    }

    void bind(Variable variable, Affine value) {
        values_[static_cast<std::size_t>(variable)] = std::move(value);
    }

    Affine replaced(Affine form) const {
        bool affected = false;
        for (const Affine::Term& term : form.terms()) affected = affected || value_of(term.variable);
        if (!affected) return form;
        Affine result = form.constant();
        for (const Affine::Term& term : form.terms()) {
            const Affine* value = value_of(term.variable);
            result += term.coefficient * (value ? *value : Affine::of(term.variable));
        }
        return result;
    }

    const Affine* value_of(Variable variable) const {
        const auto v = static_cast<std::size_t>(variable);
        return v < values_.size() && values_[v] ? &*values_[v] : nullptr;
    }

    Program source_;
    UnrollOptions options_;
    std::vector<Operation> operations_;
    bool is_last_copy_ = true;                  ///< of the operations being copied
    std::vector<Value> copies_;                 ///< latest copy, by value of the source
    std::vector<std::optional<Affine>> values_; ///< by variable of the source
    std::vector<bool> bound_before_;
};

} // namespace

Program unroll(Program program, const UnrollOptions& options) {
    if (needs_unrolling(program.body, options.serial_trip_count))
        program = Unroller(std::move(program), options).run();
    tidy(program.body);
    return program;
}

} // namespace swirl::passes
