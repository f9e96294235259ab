#include "ir/verify.hpp"

#include "ir/analysis.hpp"
#include "ir/print.hpp"
#include "ir/ranges.hpp"
#include "ir/tile.hpp"
#include "ir/type_rules.hpp"
#include "ir/verify_rules.hpp"

#include <bit>

namespace swirl::ir {

namespace {

constexpr Integer longest_vector_loop = 64; // one byte per lane of the longest vectors

class Verifier {
public:
    Verifier(const Program& program, VerificationLevel level)
        : program_(program),
          level_(level),
          ranges_(program),
          state_(program.operations.size(), State::unseen),
          has_store_(program.buffers.size(), 0),
          uses_(program.operations.size(), 0) {}

    void verify() {
        if (const auto problem = launch_error(program_.launch)) fail("{}", *problem);
        for (const BufferInfo& buffer : program_.buffers)
            if (const auto problem = buffer_error(program_, buffer))
                fail("{} buffer '{}' {}", name_of(buffer.space), buffer.name, *problem);
        for (const TensorInfo& tensor : program_.tensors)
            if (const auto problem = tensor_error(program_, tensor))
                fail("tensor '{}': {}", tensor.name, *problem);
        check(program_.body);
    }

private:
    enum class State : std::uint8_t { unseen, in_scope, copied, out_of_scope };

    template <class... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
        throw InternalError("verify '{}' ({}): {}", program_.name, name_of(level_),
                            fmt::format(format, std::forward<Args>(args)...));
    }

    template <class... Args>
    [[noreturn]] void fail_at(Value value, fmt::format_string<Args...> format, Args&&... args) const {
        fail("{}: {}", to_string(program_, value), fmt::format(format, std::forward<Args>(args)...));
    }

    // ---- statements

    void check(const Body& body) {
        const std::size_t outside = scope_.size();
        for (const Statement& statement : body)
            std::visit([this](const auto& node) { check(node); }, statement.node);
        leave_scope(outside);
    }

    /// Removes all values but the first `kept` from the scope.
    void leave_scope(std::size_t kept) {
        for (std::size_t i = kept; i < scope_.size(); ++i)
            state_[static_cast<std::size_t>(scope_[i])] = State::out_of_scope;
        scope_.resize(std::min(kept, scope_.size()));
    }

    void check(const StraightLineBlock& block) {
        for (const Value value : block.operations) {
            if (value < 0 || static_cast<std::size_t>(value) >= program_.operations.size())
                fail("a block refers to operation {} of {}", value, program_.operations.size());
            operation(value, program_[value]);
        }
    }

    void check(const For& loop) {
        variables_of(loop);
        const std::string_view name = program_.variables[static_cast<std::size_t>(loop.variable)].name;
        if (loop.step <= 0) fail("loop over '{}' has step {}", name, loop.step);
        for (const Affine* form : {&loop.begin, &loop.end})
            if (!in_scope(*form)) fail("a bound of the loop over '{}' uses a variable out of scope", name);
        for (const Induction& induction : loop.inductions)
            if (!in_scope(induction.start))
                fail("an induction of the loop over '{}' uses a variable out of scope", name);
        for (const Induction& induction : loop.inductions) last_values(loop, induction, name);
        if (loop.kind == For::Kind::vector) vector_loop(loop, name);
        if (loop.kind == For::Kind::unrolled && level_ == VerificationLevel::legalized)
            fail("the loop over '{}' is not unrolled", name);
        const bool divergent = ranges_.differs_between_threads(loop.end - loop.begin);
        const bool group_divergent = ranges_.differs_in_cooperative_group(loop.end - loop.begin);
        const bool unordered = loop.kind == For::Kind::vector || loop.kind == For::Kind::parallel;
        divergent_ += divergent || unordered;
        group_divergence_ += group_divergent;
        const bool may_be_skipped = ranges_.trip_count(loop).value_or(0) == 0;
        conditional_ += may_be_skipped;
        ranges_.enter(loop);
        const bool is_phase =
            loop.kind == For::Kind::parallel && loops_ == parallel_loops_ && program_.launch == Launch{};
        if (is_phase) leave_scope(0);
        ++loops_;
        parallel_loops_ += is_phase;
        in_vector_loop_ = loop.kind == For::Kind::vector;
        check(loop.body);
        in_vector_loop_ = false;
        --loops_;
        parallel_loops_ -= is_phase;
        conditional_ -= may_be_skipped;
        ranges_.leave(loop);
        divergent_ -= divergent || unordered;
        group_divergence_ -= group_divergent;
    }

    void check(const If& choice) {
        bool divergent = false, group_divergent = false, restricts = false;
        for (const Condition& condition : choice.conditions) {
            if (!in_scope(condition.form)) fail("a condition uses a variable out of scope");
            if (condition.value != no_value) decides(condition.value);
            divergent = divergent || ranges_.differs_between_threads(condition.form);
            group_divergent = group_divergent || ranges_.differs_in_cooperative_group(condition.form);
            restricts = restricts || condition.value == no_value || !condition.form.is_constant();
        }
        divergent_ += divergent;
        group_divergence_ += group_divergent;
        conditional_ += restricts;
        check(choice.then);
        check(choice.otherwise);
        conditional_ -= restricts;
        divergent_ -= divergent;
        group_divergence_ -= group_divergent;
    }

    /// Data says nothing about variables' ranges, so code that depends on it is checked as if always executed.
    void decides(Value value) {
        if (program_.launch == Launch{}) fail("a condition on a value, which CPU kernels cannot have");
        if (value < 0 || static_cast<std::size_t>(value) >= program_.operations.size())
            fail("a condition is on operation {} of {}", value, program_.operations.size());
        if (state_[static_cast<std::size_t>(value)] != State::in_scope)
            fail("a condition is on %{}, which is not defined before it in scope", value);
        if (program_[value].type != Type{DataType::int64, 1})
            fail("a condition is on %{}, which is {} and no int64", value, name_of(program_[value].type));
        ++uses_[static_cast<std::size_t>(value)];
    }

    void check(const Barrier& barrier) const {
        if (barrier.of_cluster && program_.launch.cluster == 1)
            fail("a cluster barrier in a launch without clusters");
        if (in_role_ && (barrier.of_cluster || barrier.of_cooperative_group))
            fail("a barrier among blocks is in a role");
        if (barrier.of_cooperative_group) counter_of(barrier);
        if (barrier.of_cooperative_group && group_divergence_ > 0)
            fail("a cooperative barrier is not reached uniformly by its blocks");
        if (divergent_ > 0)
            fail("a barrier is in a vector or parallel loop, or not reached uniformly by all threads");
    }

    void check(const WarpRoles& warp_roles) {
        if (const auto problem = roles_error(program_, warp_roles)) fail("roles: {}", *problem);
        if (in_role_) fail("roles are in a role");
        if (divergent_ > 0) fail("roles are not reached uniformly by all threads");
        // A role may load what another stores, in whichever order they are listed.
        for (const WarpRole& role : warp_roles.roles)
            for_each_statement(role.body, [&](const Statement& statement) {
                if (const auto* block = std::get_if<StraightLineBlock>(&statement.node))
                    for (const Value value : block->operations) note_store(value);
            });
        in_role_ = true;
        for (const WarpRole& role : warp_roles.roles) check(role.body);
        in_role_ = false;
    }

    void note_store(Value value) {
        if (value < 0 || static_cast<std::size_t>(value) >= program_.operations.size()) return;
        const Operation& operation = program_[value];
        const bool stores = operation.opcode == Opcode::store || operation.opcode == Opcode::atomic_add ||
                            operation.opcode == Opcode::tma_load || operation.opcode == Opcode::mbarrier_init;
        if (!stores || type_error(program_, operation)) return;
        has_store_[static_cast<std::size_t>(operation.address.buffer)] = 1;
    }

    void check(const AsyncFence& fence) const {
        if (fence.pending < 0) fail("a wait for copies with {} groups in flight", fence.pending);
        if (in_vector_loop_) fail("a fence of copies in a vector loop");
        if (const auto problem = fence_error(fence)) fail("{}", *problem);
    }

    void counter_of(const Barrier& barrier) const {
        if (barrier.of_cluster || program_.launch.cooperative_group == 1)
            fail("a cooperative barrier in a launch without groups");
        const Address& counter = barrier.counter;
        if (counter.buffer < 0 || static_cast<std::size_t>(counter.buffer) >= program_.buffers.size())
            fail("a cooperative barrier counts in buffer {} of {}", counter.buffer, program_.buffers.size());
        const BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(counter.buffer)];
        if (buffer.element != DataType::int64 || !buffer.zeroed || !buffer.written)
            fail("a cooperative barrier counts in '{}', which is no zeroed int64 scratch", buffer.name);
        const auto range = in_scope(counter.index) ? ranges_.range(counter.index) : std::nullopt;
        if (!range || range->low < 0 || range->high >= buffer.elements || counter.dynamic != no_value)
            fail("a cooperative barrier counts outside '{}'", buffer.name);
        if (ranges_.differs_in_cooperative_group(counter.index))
            fail("a cooperative barrier has several counters");
    }

    void variables_of(const For& loop) const {
        const auto own = [&](Variable variable, VariableInfo::Kind kind) {
            if (variable < 0 || static_cast<std::size_t>(variable) >= program_.variables.size())
                fail("a loop has variable {} of {}", variable, program_.variables.size());
            const VariableInfo& info = program_.variables[static_cast<std::size_t>(variable)];
            if (info.kind != kind) fail("'{}' is not a variable of loops", info.name);
            if (ranges_.is_in_scope(variable))
                fail("a loop over '{}' is nested in another loop over it", info.name);
        };
        own(loop.variable, VariableInfo::Kind::loop);
        for (const Induction& induction : loop.inductions)
            own(induction.variable, VariableInfo::Kind::induction);
    }

    void last_values(const For& loop, const Induction& induction, std::string_view name) const {
        if (induction.last.empty()) return;
        const Affine extent = loop.end - loop.begin;
        const auto own = static_cast<Integer>(induction.last.size());
        if (loop.kind == For::Kind::parallel || !extent.is_constant() ||
            iterations(extent.constant(), loop.step) <= own)
            fail("an induction of the loop over '{}' has {} last values of its own", name, own);
        for (const Induction& other : loop.inductions)
            if (!other.last.empty() && other.last.size() != induction.last.size())
                fail("inductions of the loop over '{}' have different numbers of last values", name);
    }

    void vector_loop(const For& loop, std::string_view name) const {
        if (level_ != VerificationLevel::lowered) fail("the loop over '{}' is still a vector loop", name);
        if (loop.begin != Affine(0) || loop.step != 1 || !loop.end.is_constant() || loop.end.constant() < 1 ||
            loop.end.constant() > longest_vector_loop)
            fail("the vector loop over '{}' does not run from 0 to a small constant", name);
        for (const Statement& statement : loop.body)
            if (!std::holds_alternative<StraightLineBlock>(statement.node))
                fail("the vector loop over '{}' has more than straight-line blocks in its body", name);
    }

    bool in_scope(const Affine& form) const {
        for (const Affine::Term& term : form.terms())
            if (!ranges_.is_in_scope(term.variable)) return false;
        return true;
    }

    // ---- operations

    void operation(Value value, const Operation& operation) {
        State& state = state_[static_cast<std::size_t>(value)];
        if (state != State::unseen) fail_at(value, "is in the program twice");
        if (const auto problem = type_error(program_, operation)) fail_at(value, "{}", *problem);
        for_each_operand(operation, [&](Value used) {
            ++uses_[static_cast<std::size_t>(used)];
            if (state_[static_cast<std::size_t>(used)] == State::copied)
                fail_at(value, "%{} is stored asynchronously, and has no other use", used);
            if (state_[static_cast<std::size_t>(used)] != State::in_scope)
                fail_at(value, "%{} is not defined before it in scope", used);
        });
        if (!in_scope(operation.address.index)) fail_at(value, "uses a variable out of scope");
        of_level(value, operation);
        if (accesses_memory(operation.opcode)) access(value, operation);
        if (is_async_tile_operation(operation.opcode)) of_tiles(value, operation);
        state = State::in_scope;
        scope_.push_back(value);
    }

    void of_level(Value value, const Operation& operation) const {
        const bool rearranges = operation.opcode == Opcode::shuffle || operation.opcode == Opcode::splat;
        switch (level_) {
        case VerificationLevel::lowered:
            if (in_vector_loop_ && (operation.type.lanes != 1 || rearranges))
                fail_at(value, "is no scalar operation");
            return;
        case VerificationLevel::vectorized: return;
        case VerificationLevel::legalized:
            if (operation.opcode == Opcode::shuffle && !is_integer(operation.type.scalar))
                fail_at(value, "is no instruction of the target");
            if (!std::has_single_bit(static_cast<unsigned>(operation.type.lanes)))
                fail_at(value, "its number of lanes is no power of two");
            if (has_address(operation.opcode) && operation.address.index.terms().size() > 1)
                fail_at(value, "its address has more than one variable");
            return;
        }
    }

    void access(Value value, const Operation& operation) {
        const auto at = static_cast<std::size_t>(operation.address.buffer);
        const BufferInfo& buffer = program_.buffers[at];
        if (operation.opcode != Opcode::load) {
            if (buffer.space == Space::table || !buffer.written)
                fail_at(value, "'{}' is only to be read", buffer.name);
            has_store_[at] = 1;
        }
        const bool undefined_on_entry =
            buffer.space != Space::argument && buffer.space != Space::table && !buffer.zeroed;
        if (operation.opcode != Opcode::store && undefined_on_entry && !has_store_[at] && conditional_ == 0)
            fail_at(value, "nothing has been stored to '{}' before", buffer.name);
        if (conditional_ == 0) bounds(value, operation, buffer);
        if (buffer.by_value) passed_by_value(value, operation);
        if (buffer.absolute && operation.address.dynamic == no_value)
            fail_at(value, "is at no computed index of what is at absolute addresses");
        if (operation.asynchronous) asynchronous(value, operation, buffer);
    }

    void of_tiles(Value value, const Operation& operation) {
        if (program_.launch == Launch{} || in_vector_loop_)
            fail_at(value, "is not for CPUs, nor for vectors");
        for (const Address& of_address : operation.tile->addresses) {
            if (!in_scope(of_address.index)) fail_at(value, "uses a variable out of scope");
            if (level_ == VerificationLevel::legalized && of_address.index.terms().size() > 1)
                fail_at(value, "its address has more than one variable");
        }
        if (const auto problem = tile_rule_error(program_, ranges_, operation, conditional_ == 0))
            fail_at(value, "{}", *problem);
        note_store(value);
        if (operation.opcode == Opcode::wgmma && !operation.tile->instruction->accumulates)
            has_store_[static_cast<std::size_t>(operation.address.buffer)] = 1;
        needs_store(value, operation.address.buffer, false);
        for (const Address& of_address : operation.tile->addresses)
            needs_store(value, of_address.buffer, false);
        if (operation.tile->tensor < 0) return;
        const Buffer global = program_.tensors[static_cast<std::size_t>(operation.tile->tensor)].buffer;
        const BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(global)];
        if (operation.opcode == Opcode::tma_load)
            needs_store(value, global, buffer.zeroed || conditional_ > 0);
        else if (!buffer.written)
            fail_at(value, "'{}' is only to be read", buffer.name);
        else
            has_store_[static_cast<std::size_t>(global)] = 1;
    }

    /// Requires a store before use; this includes the initialization of mbarriers.
    void needs_store(Value value, Buffer buffer, bool may_lack) const {
        const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
        const bool is_defined = info.space == Space::argument || has_store_[static_cast<std::size_t>(buffer)];
        if (!is_defined && !may_lack) fail_at(value, "nothing has been stored to '{}' before", info.name);
    }

    void passed_by_value(Value value, const Operation& operation) const {
        if (operation.address.dynamic != no_value || !operation.address.index.is_constant())
            fail_at(value, "is at no constant index of what is passed by value");
    }

    /// Checks a copy of contiguous elements from global to shared memory.
    void asynchronous(Value value, const Operation& operation, const BufferInfo& buffer) {
        const auto needs = [&](bool holds, std::string_view what) {
            if (!holds) fail_at(value, "stores asynchronously {}", what);
        };
        needs(buffer.space == Space::shared, "to memory that is not shared");
        const Operation& loaded = program_[operation.operands[0]];
        needs(loaded.opcode == Opcode::load && uses_[static_cast<std::size_t>(operation.operands[0])] == 1,
              "something other than what is loaded for it alone");
        const BufferInfo& from = program_.buffers[static_cast<std::size_t>(loaded.address.buffer)];
        needs((from.space == Space::argument && !from.by_value) || from.space == Space::scratch,
              "what is not in global memory");
        for (const Operation* access : {&operation, &loaded})
            needs(access->active == operation.type.lanes &&
                      (operation.type.lanes == 1 || access->address.lane_stride == 1),
                  "elements that are not next to each other");
        state_[static_cast<std::size_t>(operation.operands[0])] = State::copied;
    }

    /// The range if it is known exactly; for a dynamic index, only if it is looked up in a table.
    std::optional<Range> range_of(const Address& address) const {
        if (address.dynamic == no_value) return ranges_.range(address.index);
        const Operation& dynamic = program_[address.dynamic];
        if (dynamic.opcode != Opcode::load) return std::nullopt;
        const BufferInfo& table = program_.buffers[static_cast<std::size_t>(dynamic.address.buffer)];
        if (table.element != DataType::int64 || !table.contents || dynamic.address.dynamic != no_value)
            return std::nullopt;
        return ranges_.range_with_entry(address.index, address.dynamic_scale, table.contents->integers(),
                                        dynamic.address.index);
    }

    void bounds(Value value, const Operation& operation, const BufferInfo& buffer) const {
        const std::optional<Range> range = range_of(operation.address);
        if (!range) return;
        const Integer farthest = (operation.active - 1) * operation.address.lane_stride;
        const Integer low = range->low + std::min<Integer>(farthest, 0);
        const Integer high = range->high + std::max<Integer>(farthest, 0);
        if (low < buffer.first || high >= buffer.first + buffer.elements)
            fail_at(value, "reaches elements {} to {} of '{}', which has {} to {}", low, high, buffer.name,
                    buffer.first, buffer.first + buffer.elements - 1);
    }

    const Program& program_;
    VerificationLevel level_;
    VariableRanges ranges_;
    std::vector<State> state_;
    std::vector<Value> scope_; ///< values in scope, in order of definition
    std::vector<char> has_store_;
    std::vector<int> uses_;  ///< uses of each value so far
    int loops_ = 0;          ///< enclosing loops
    int parallel_loops_ = 0; ///< those of them that are parallel and in parallel loops alone
    bool in_vector_loop_ = false;
    bool in_role_ = false;
    int conditional_ = 0; ///< enclosing conditions on variables, and loops that may have no iterations
    int divergent_ = 0;   ///< enclosing statements in which threads may diverge
    int group_divergence_ =
        0; ///< enclosing statements in which the blocks of a cooperative group may diverge
};

} // namespace

std::string_view name_of(VerificationLevel level) {
    switch (level) {
    case VerificationLevel::lowered: return "lowered";
    case VerificationLevel::vectorized: return "vectorized";
    case VerificationLevel::legalized: return "machine";
    }
    return "?";
}

void verify(const Program& program, VerificationLevel level) { Verifier(program, level).verify(); }

} // namespace swirl::ir
