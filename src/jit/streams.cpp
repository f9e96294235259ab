#include "jit/streams.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace swirl::jit {

namespace {

/// A loop is taken to run this often when uses are weighed.
constexpr double assumed_iterations = 8;

} // namespace

Streams::Streams(const ir::Program& program, Frame& frame) : program_(program) {
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

Integer Streams::constant_trips(const ir::For& loop) {
    ensure(loop.step > 0, "a loop with step {}", loop.step);
    const Affine extent = loop.end - loop.begin;
    if (!extent.is_constant()) return -1;
    return std::max<Integer>(0, ceil_divide(extent.constant(), loop.step));
}

void Streams::enter(const ir::For& loop) {
    const int number = ++next_loop_;
    if (collecting_) {
        loops_.emplace_back();
        loops_.back().parent = current_;
        loops_.back().depth = loops_[static_cast<std::size_t>(current_)].depth + 1;
        loops_[static_cast<std::size_t>(current_)].has_inner_loop = true;
    }
    current_ = number;
    open_.push_back(&loop);
    variables_[static_cast<std::size_t>(loop.variable)] = {number, loop.begin, loop.step};
    for (const ir::Induction& induction : loop.inductions)
        variables_[static_cast<std::size_t>(induction.variable)] = {number, induction.start, induction.step};
}

void Streams::leave() {
    if (collecting_) loops_[static_cast<std::size_t>(current_)].last = next_loop_;
    current_ = loops_[static_cast<std::size_t>(current_)].parent;
    const ir::For& loop = *open_.back();
    variables_[static_cast<std::size_t>(loop.variable)].loop = -1;
    for (const ir::Induction& induction : loop.inductions)
        variables_[static_cast<std::size_t>(induction.variable)].loop = -1;
    open_.pop_back();
}

void Streams::collect(const ir::Body& body) {
    for (const ir::Statement& statement : body) {
        if (const auto* run = std::get_if<ir::Straight>(&statement.node))
            collect(*run);
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

void Streams::collect(const ir::Straight& run) {
    for (const ir::Value value : run.operations) {
        const ir::Operation& operation = program_[value];
        StreamAccess& access = accesses_[static_cast<std::size_t>(value)];
        uses_integers_ = uses_integers_ || operation.type.scalar == ir::Scalar::int64;
        if (ir::has_address(operation.opcode))
            access = resolve(operation.address.buffer, operation.address.index);
        else if (operation.opcode == ir::Opcode::index)
            access = resolve(-1, operation.address.index);
    }
}

void Streams::collect(const ir::For& loop) {
    const Integer trips = constant_trips(loop);
    if (trips == 0) return;
    if (trips < 0) resolve(-1, loop.end - loop.begin);
    enter(loop);
    collect(loop.body);
    leave();
}

bool Streams::is_local(ir::Buffer buffer) const {
    return buffer >= 0 && program_.buffers[static_cast<std::size_t>(buffer)].space == ir::Space::local;
}

Integer Streams::scale_of(ir::Buffer buffer) const {
    return buffer < 0 ? 1 : ir::size_in_bytes(program_.buffers[static_cast<std::size_t>(buffer)].element);
}

double Streams::weight_here() const {
    return std::pow(assumed_iterations, loops_[static_cast<std::size_t>(current_)].depth);
}

Integer Streams::alignment_of(const StreamAccess& access) const {
    if (access.stream < 0) return 1;
    Integer bits =
        access.displacement; // a number has the lowest bit of the sum or above where each summand has
    int number = access.stream;
    for (; stream(number).parent >= 0; number = stream(number).parent)
        bits |= stream(number).offset | stream(number).step;
    const Stream& start = stream(number);
    if (start.buffer < 0) return 1;
    const ir::BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(start.buffer)];
    for (const Affine::Term& term : start.terms) bits |= term.coefficient * ir::size_in_bytes(buffer.element);
    bits |= start.offset | start.step;
    const Integer known = std::max(buffer.alignment, ir::size_in_bytes(buffer.element));
    const Integer lowest = bits & -bits;
    return lowest == 0 ? known : std::min(known, lowest);
}

StreamAccess Streams::resolve(ir::Buffer buffer, const Affine& form) {
    if (buffer >= 0) {
        const ir::Space space = program_.buffers[static_cast<std::size_t>(buffer)].space;
        ensure(space != ir::Space::shared, "shared memory in a CPU kernel");
    }
    const Integer displacement = form.constant() * scale_of(buffer);
    if (form.is_constant() && (buffer < 0 || is_local(buffer))) return {-1, displacement};
    const int number = find_or_add(buffer, form.terms());
    if (collecting_) streams_[static_cast<std::size_t>(number)].weight += weight_here();
    return {number, displacement};
}

int Streams::owner_of(const std::vector<Affine::Term>& terms) const {
    int owner = 0;
    for (const Affine::Term& term : terms) {
        const int loop = variables_[static_cast<std::size_t>(term.variable)].loop;
        ensure(loop >= 0, "variable '{}' is used outside its loop",
               program_.variables[static_cast<std::size_t>(term.variable)].name);
        owner = std::max(owner, loop); // open loops are nested, so the latest is the innermost
    }
    return owner;
}

int Streams::find_or_add(ir::Buffer buffer, const std::vector<Affine::Term>& terms) {
    const int owner = owner_of(terms);
    for (const int number : loops_[static_cast<std::size_t>(owner)].streams) {
        const Stream& stream = streams_[static_cast<std::size_t>(number)];
        if (stream.buffer == buffer && stream.terms == terms) return number;
    }
    ensure(collecting_, "an address that was not there before");
    Stream stream;
    stream.loop = owner;
    stream.buffer = buffer;
    stream.terms = terms;
    const Integer scale = scale_of(buffer);
    if (owner == 0) {
        uses_parameters_ = uses_parameters_ || !terms.empty();
    } else {
        Affine outer = 0;
        for (const Affine::Term& term : terms) {
            const Carried& carried = variables_[static_cast<std::size_t>(term.variable)];
            if (carried.loop == owner) {
                outer += carried.start * term.coefficient;
                stream.step += carried.step * term.coefficient * scale;
            } else
                outer += Affine::of(term.variable, term.coefficient);
        }
        // A local buffer's pointer is needed here, so its constant part alone is a stream, too.
        const bool is_number = outer.is_constant() && buffer < 0;
        stream.offset = outer.constant() * scale;
        if (!is_number) {
            stream.parent = find_or_add(buffer, outer.terms());
            streams_[static_cast<std::size_t>(stream.parent)].weight +=
                std::pow(assumed_iterations, loops_[static_cast<std::size_t>(owner)].depth - 1);
        }
    }
    const int number = static_cast<int>(streams_.size());
    streams_.push_back(std::move(stream));
    loops_[static_cast<std::size_t>(owner)].streams.push_back(number);
    return number;
}

void Streams::assign_registers(bool reserve_for_integers, Frame& frame) {
    struct Candidate {
        double weight;
        int loop;
        GeneralHome* home;
    };
    std::vector<Candidate> candidates;
    for (Stream& stream : streams_) candidates.push_back({stream.weight, stream.loop, &stream.home});
    for (std::size_t l = 1; l < loops_.size(); ++l)
        candidates.push_back(
            {std::pow(assumed_iterations, loops_[l].depth), static_cast<int>(l), &loops_[l].counter});
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.weight > b.weight; });

    std::vector<std::vector<int>> taken(16); // by register: loops over which it is in use
    const auto is_reserved = [&](std::int8_t number) {
        if (uses_parameters_ && number == general::for_parameters) return true;
        return reserve_for_integers &&
               std::count(std::begin(general::for_values), std::end(general::for_values), number);
    };
    const auto overlap = [&](int a, int b) { // one is inside the other, or they are the same
        return (a <= b && b <= loops_[static_cast<std::size_t>(a)].last) ||
               (b <= a && a <= loops_[static_cast<std::size_t>(b)].last);
    };
    for (const Candidate& candidate : candidates) {
        for (const std::int8_t number : general::for_streams) {
            if (is_reserved(number)) continue;
            auto& loops = taken[static_cast<std::size_t>(number)];
            if (std::any_of(loops.begin(), loops.end(), [&](int l) { return overlap(l, candidate.loop); }))
                continue;
            loops.push_back(candidate.loop);
            candidate.home->number = number;
            registers_used_ |= 1U << number;
            break;
        }
        if (!candidate.home->in_register()) candidate.home->offset = frame.reserve(8, 8);
    }
    if (reserve_for_integers)
        for (const std::int8_t number : general::for_values) registers_used_ |= 1U << number;
}

} // namespace swirl::jit
