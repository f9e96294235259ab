#include "jit/induction_variables.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
#include <numeric>

namespace swirl::jit {

namespace {

/// Assumed trip count of a loop when uses are weighed.
constexpr double assumed_iterations = 8;

} // namespace

InductionVariables::InductionVariables(const ir::Program& program, Frame& frame) : program_(program) {
    variables_.resize(program.variables.size());
    for (std::size_t v = 0; v < variables_.size(); ++v)
        if (program.variables[v].kind == ir::VariableInfo::Kind::parameter) variables_[v].loop = 0;
    accesses_.resize(program.operations.size());
    loops_.emplace_back();
    collect(program.body);
    loops_[0].last = static_cast<int>(loops_.size()) - 1;
    assign_registers(uses_integers_, frame);
    collecting_ = false;
    current_ = 0;
    next_loop_ = 0;
}

Integer InductionVariables::constant_trips(const ir::For& loop) {
    ensure(loop.step > 0, "a loop with step {}", loop.step);
    const Affine extent = loop.end - loop.begin;
    if (!extent.is_constant()) return -1;
    return std::max<Integer>(0, ceil_divide(extent.constant(), loop.step));
}

void InductionVariables::enter(const ir::For& loop) {
    const int index = ++next_loop_;
    if (collecting_) {
        loops_.emplace_back();
        loops_.back().parent = current_;
        loops_.back().depth = loops_[static_cast<std::size_t>(current_)].depth + 1;
        loops_[static_cast<std::size_t>(current_)].has_inner_loop = true;
    }
    current_ = index;
    open_.push_back(&loop);
    if (collecting_)
        for (const ir::Induction& induction : loop.inductions)
            loops_.back().last_iterations =
                std::max<Integer>(loops_.back().last_iterations, std::ssize(induction.last));
    variables_[static_cast<std::size_t>(loop.variable)] = {index, loop.begin, loop.step};
    for (const ir::Induction& induction : loop.inductions)
        variables_[static_cast<std::size_t>(induction.variable)] = {index, induction.start, induction.step,
                                                                    induction.last};
}

void InductionVariables::leave() {
    if (collecting_) loops_[static_cast<std::size_t>(current_)].last = next_loop_;
    current_ = loops_[static_cast<std::size_t>(current_)].parent;
    const ir::For& loop = *open_.back();
    variables_[static_cast<std::size_t>(loop.variable)].loop = -1;
    for (const ir::Induction& induction : loop.inductions)
        variables_[static_cast<std::size_t>(induction.variable)].loop = -1;
    open_.pop_back();
}

void InductionVariables::collect(const ir::Body& body) {
    for (const ir::Statement& statement : body) {
        if (const auto* block = std::get_if<ir::StraightLineBlock>(&statement.node))
            collect(*block);
        else if (const auto* loop = std::get_if<ir::For>(&statement.node))
            collect(*loop);
        else if (const auto* condition = std::get_if<ir::If>(&statement.node)) {
            for (const ir::Condition& one : condition->conditions) {
                ensure(one.value == ir::no_value, "a condition on a value in a CPU kernel");
                resolve(-1, one.form);
            }
            collect(condition->then);
            collect(condition->otherwise);
        } else
            throw InternalError("a barrier in a CPU kernel");
    }
}

namespace {

/// Whether the operation may take a general register: for an int64, or for 16-bit and 8-bit lanes one by one.
bool uses_general_register(const ir::Operation& operation) {
    const ir::Type type = operation.type;
    if (type.scalar == DataType::int64) return true;
    const bool moves = operation.opcode == ir::Opcode::load || operation.opcode == ir::Opcode::store;
    const bool is_whole =
        type.lanes > 1 && operation.active == type.lanes && operation.address.lane_stride == 1;
    return moves && bytes_of(type.scalar) < 4 && !is_whole;
}

} // namespace

void InductionVariables::collect(const ir::StraightLineBlock& block) {
    for (const ir::Value value : block.operations) {
        const ir::Operation& operation = program_[value];
        InductionAccess& access = accesses_[static_cast<std::size_t>(value)];
        uses_integers_ = uses_integers_ || uses_general_register(operation);
        if (ir::has_address(operation.opcode))
            access = resolve(operation.address.buffer, operation.address.index);
        else if (operation.opcode == ir::Opcode::index)
            access = resolve(-1, operation.address.index);
    }
}

void InductionVariables::collect(const ir::For& loop) {
    const Integer trips = constant_trips(loop);
    if (trips == 0) return;
    if (trips < 0) resolve(-1, loop.end - loop.begin);
    enter(loop);
    collect(loop.body);
    leave();
}

bool InductionVariables::is_local(ir::Buffer buffer) const {
    return buffer >= 0 && program_.buffers[static_cast<std::size_t>(buffer)].space == ir::Space::local;
}

Integer InductionVariables::scale_of(ir::Buffer buffer) const {
    return buffer < 0 ? 1 : bytes_of(program_.buffers[static_cast<std::size_t>(buffer)].element);
}

double InductionVariables::weight_of(int depth) {
    double weight = 1;
    for (; depth > 0; --depth) weight *= assumed_iterations;
    return weight;
}

Integer InductionVariables::alignment_of(const InductionAccess& access) const {
    if (access.induction < 0) return 1;
    Integer bits =
        access.displacement; // a sum is divisible by the largest power of two that divides each summand
    const auto steps = [](const InductionVariable& changing) {
        Integer all = changing.step;
        for (const Integer jump : changing.jumps) all |= jump;
        return all;
    };
    int index = access.induction;
    for (; induction(index).parent >= 0; index = induction(index).parent)
        bits |= induction(index).offset | steps(induction(index));
    const InductionVariable& start = induction(index);
    if (start.buffer < 0) return 1;
    const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(start.buffer)];
    for (const Affine::Term& term : start.terms) bits |= term.coefficient * bytes_of(buffer.element);
    bits |= start.offset | steps(start);
    const Integer known = std::max<Integer>(buffer.alignment, bytes_of(buffer.element));
    const Integer lowest = bits & -bits;
    return lowest == 0 ? known : std::min(known, lowest);
}

InductionAccess InductionVariables::resolve(ir::Buffer buffer, const Affine& form) {
    if (buffer >= 0) {
        const ir::Space space = program_.buffers[static_cast<std::size_t>(buffer)].space;
        ensure(space != ir::Space::shared, "shared memory in a CPU kernel");
    }
    const Integer displacement = form.constant() * scale_of(buffer);
    if (form.is_constant() && (buffer < 0 || is_local(buffer))) return {-1, displacement};
    const int index = find_or_add(buffer, form.terms());
    if (collecting_)
        inductions_[static_cast<std::size_t>(index)].weight +=
            weight_of(loops_[static_cast<std::size_t>(current_)].depth);
    return {index, displacement};
}

int InductionVariables::owner_of(const Affine::Terms& terms) const {
    int owner = 0;
    for (const Affine::Term& term : terms) {
        const int loop = variables_[static_cast<std::size_t>(term.variable)].loop;
        ensure(loop >= 0, "variable '{}' is used outside its loop",
               program_.variables[static_cast<std::size_t>(term.variable)].name);
        owner = std::max(owner, loop); // open loops are nested, so the highest index is the innermost
    }
    return owner;
}

int InductionVariables::find_or_add(ir::Buffer buffer, const Affine::Terms& terms) {
    const int owner = owner_of(terms);
    for (const int index : loops_[static_cast<std::size_t>(owner)].inductions) {
        const InductionVariable& induction = inductions_[static_cast<std::size_t>(index)];
        if (induction.buffer == buffer && induction.terms == terms) return index;
    }
    ensure(collecting_, "an address that was not there before");
    InductionVariable induction;
    induction.loop = owner;
    induction.buffer = buffer;
    induction.terms = terms;
    const Integer scale = scale_of(buffer);
    if (owner == 0) {
        uses_parameters_ = uses_parameters_ || !terms.empty();
    } else {
        Affine outer = 0;
        for (const Affine::Term& term : terms) {
            const LoopVariable& carried = variables_[static_cast<std::size_t>(term.variable)];
            if (carried.loop == owner) {
                outer += carried.start * term.coefficient;
                induction.step += carried.step * term.coefficient * scale;
            } else
                outer += Affine::of(term.variable, term.coefficient);
        }
        induction.jumps = jumps_of(induction);
        // A local buffer's pointer needs this register, so a constant form is an induction variable, too.
        const bool is_constant = outer.is_constant() && buffer < 0;
        induction.offset = outer.constant() * scale;
        if (!is_constant) {
            induction.parent = find_or_add(buffer, outer.terms());
            inductions_[static_cast<std::size_t>(induction.parent)].weight +=
                weight_of(loops_[static_cast<std::size_t>(owner)].depth - 1);
        }
    }
    const int index = static_cast<int>(inductions_.size());
    inductions_.push_back(std::move(induction));
    loops_[static_cast<std::size_t>(owner)].inductions.push_back(index);
    return index;
}

/// The distance to each of the last iterations from where a step after the iteration before leads.
std::vector<Integer> InductionVariables::jumps_of(const InductionVariable& induction) const {
    const LoopRecord& loop = loops_[static_cast<std::size_t>(induction.loop)];
    const Integer last_iterations = loop.last_iterations;
    if (last_iterations == 0) return {};
    const Integer trips = constant_trips(*open_[static_cast<std::size_t>(loop.depth) - 1]);
    const auto distance = [&](Integer iteration) {
        Integer sum = 0;
        for (const Affine::Term& term : induction.terms) {
            const LoopVariable& carried = variables_[static_cast<std::size_t>(term.variable)];
            if (carried.loop == induction.loop)
                sum += term.coefficient *
                       ir::Induction{term.variable, 0, carried.step, carried.last}.distance(iteration, trips);
        }
        return sum * scale_of(induction.buffer);
    };
    std::vector<Integer> jumps;
    for (Integer iteration = trips - last_iterations; iteration < trips; ++iteration)
        jumps.push_back(distance(iteration) - distance(iteration - 1) - induction.step);
    return jumps;
}

void InductionVariables::assign_registers(bool reserve_for_integers, Frame& frame) {
    struct Candidate {
        double weight;
        int loop;
        IntegerLocation* location;
    };
    std::vector<Candidate> candidates;
    for (InductionVariable& induction : inductions_)
        candidates.push_back({induction.weight, induction.loop, &induction.location});
    for (std::size_t l = 1; l < loops_.size(); ++l)
        candidates.push_back({weight_of(loops_[l].depth), static_cast<int>(l), &loops_[l].counter});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.weight > b.weight; });

    std::vector<std::vector<int>> taken(16); // by register: loops in which it is in use
    const auto is_reserved = [&](std::int8_t reg) {
        if (uses_parameters_ && reg == general::for_parameters) return true;
        return reserve_for_integers &&
               std::count(std::begin(general::for_values), std::end(general::for_values), reg);
    };
    const auto overlap = [&](int a, int b) { // one contains the other, or they are equal
        return (a <= b && b <= loops_[static_cast<std::size_t>(a)].last) ||
               (b <= a && a <= loops_[static_cast<std::size_t>(b)].last);
    };
    for (const Candidate& candidate : candidates) {
        for (const std::int8_t reg : general::for_inductions) {
            if (is_reserved(reg)) continue;
            auto& loops = taken[static_cast<std::size_t>(reg)];
            if (std::any_of(loops.begin(), loops.end(), [&](int l) { return overlap(l, candidate.loop); }))
                continue;
            loops.push_back(candidate.loop);
            candidate.location->reg = reg;
            registers_used_ |= 1U << reg;
            break;
        }
        if (!candidate.location->in_register()) candidate.location->offset = frame.reserve(8, 8);
    }
    if (reserve_for_integers)
        for (const std::int8_t reg : general::for_values) registers_used_ |= 1U << reg;
}

} // namespace swirl::jit
