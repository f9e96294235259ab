#include "passes/phases.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "ir/count.hpp"
#include "passes/statements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace swirl::passes {
namespace {

using namespace ir;

constexpr Integer cache_line = 64;      // bytes
constexpr double enough_balance = 0.85; ///< for the outermost of several loops to be shared

/// The loop whose iterations are shared: `outermost`, or one inside it that is nested only in parallel loops.
For* shared_loop(For& outermost, Integer threads) {
    For* best = nullptr;
    double best_balance = 0;
    for (For* loop = &outermost; loop != nullptr;) {
        const Integer trips = constant_trip_count(*loop);
        const double here = trips > 0 ? balance(trips, threads) : 0;
        if (here > best_balance) {
            best = loop;
            best_balance = here;
        }
        if (best_balance >= enough_balance || loop->body.size() != 1) break;
        loop = std::get_if<For>(&loop->body[0].node);
        if (loop != nullptr && loop->kind != For::Kind::parallel) loop = nullptr;
    }
    return best;
}

/// Distances between the stores of neighbouring iterations.
class StoreDistances {
public:
    explicit StoreDistances(const Program& program)
        : program_(program), movement_(program.variables.size(), 0) {}

    /// Iterations that fill a cache line of the loop's strided stores.
    Integer grain_of(const For& loop) {
        move(loop.variable, loop.step);
        for (const Induction& induction : loop.inductions) move(induction.variable, induction.step);
        visit(loop.body);
        return grain_;
    }

private:
    void move(Variable variable, Integer distance) {
        movement_[static_cast<std::size_t>(variable)] = distance;
    }

    Integer movement_of(const Affine& form) const {
        Integer sum = 0;
        for (const Affine::Term& term : form.terms())
            sum += term.coefficient * movement_[static_cast<std::size_t>(term.variable)];
        return sum;
    }

    void visit(const Body& body) {
        for_each_statement(body, [&](const Statement& statement) {
            if (const auto* inner = std::get_if<For>(&statement.node)) {
                move(inner->variable, movement_of(inner->begin));
                for (const Induction& induction : inner->inductions)
                    move(induction.variable, movement_of(induction.start));
            } else if (const auto* block = std::get_if<StraightLineBlock>(&statement.node)) {
                for (const Value value : block->operations) visit(program_[value]);
            }
        });
    }

    void visit(const Operation& operation) {
        if (!has_side_effect(operation.opcode)) return;
        const BufferInfo& buffer = program_.buffers[static_cast<std::size_t>(operation.address.buffer)];
        const Integer bytes = std::abs(movement_of(operation.address.index)) * bytes_of(buffer.element);
        if (bytes > 0 && buffer.nest_depth == 0) grain_ = std::max(grain_, ceil_divide(cache_line, bytes));
    }

    const Program& program_;
    std::vector<Integer> movement_; ///< change of each variable per iteration of the shared loop
    Integer grain_ = 1;
};

/// Executed operations; a vector operation counts once.
double operations_of(const Program& program) {
    double sum = 0;
    for_each_weighted_block(program, {}, [&](const StraightLineBlock& block, Integer times) {
        sum += static_cast<double>(block.operations.size()) * static_cast<double>(times);
    });
    return sum;
}

/// Restricts a loop to its iterations `first` to `last` − 1.
void restrict_iterations(For& loop, const Affine& first, const Affine& last) {
    loop.end = loop.begin + loop.step * last;
    loop.begin += loop.step * first;
    for (Induction& induction : loop.inductions) {
        ensure(induction.last.empty(), "iterations of a loop with last values of its own are shared");
        induction.start += induction.step * first;
    }
}

class Cut {
public:
    Cut(Program program, const PhaseOptions& options) : frame_(std::move(program)), options_(options) {
        for (const VariableInfo& variable : frame_.variables)
            ensure(variable.kind != VariableInfo::Kind::parameter,
                   "kernel {} has parameters and is to be cut into phases", frame_.name);
    }

    std::vector<Phase> run() {
        Body body = std::exchange(frame_.body, {});
        Body serial;
        for (Statement& statement : body) {
            const std::optional<Phase> whole = parallel_phase(statement);
            if (std::vector<Phase> repeated = repeated_phases(statement, whole); !repeated.empty()) {
                close(serial);
                std::move(repeated.begin(), repeated.end(), std::back_inserter(phases_));
            } else if (whole) {
                close(serial);
                phases_.push_back(std::move(*whole));
            } else {
                serial.push_back(std::move(statement));
            }
        }
        close(serial);
        for (std::size_t k = 0; k < phases_.size(); ++k) {
            phases_[k].program.name += fmt::format("_phase_{}", k);
            compact(phases_[k].program);
        }
        return std::move(phases_);
    }

private:
    Phase phase_of(Body body) const {
        Phase phase;
        phase.program = frame_;
        phase.program.body = std::move(body);
        phase.operations = operations_of(phase.program);
        return phase;
    }

    void close(Body& serial) {
        if (serial.empty()) return;
        phases_.push_back(phase_of(std::exchange(serial, {})));
    }

    std::optional<Phase> parallel_phase(const Statement& statement) const {
        const auto* outermost = std::get_if<For>(&statement.node);
        if (outermost == nullptr || outermost->kind != For::Kind::parallel) return std::nullopt;
        Phase phase = phase_of({statement});
        if (phase.operations < options_.least_operations) return std::nullopt;
        For& loop = std::get<For>(phase.program.body[0].node);
        return shared(std::move(phase), loop);
    }

    /// Time of a phase in operations, with its barrier.
    double cost_of(const Phase& phase) const {
        const double used = phase.is_parallel ? static_cast<double>(options_.threads) *
                                                    balance(phase.iterations, options_.threads)
                                              : 1;
        return phase.operations / used + options_.least_operations;
    }

    /// The phases in the body of a loop, to be repeated for each iteration; none if that does not pay.
    std::vector<Phase> repeated_phases(const Statement& statement, const std::optional<Phase>& whole) {
        const auto* outer = std::get_if<For>(&statement.node);
        if (!whole || outer->body.size() < 2) return {};
        const Integer repetitions = constant_trip_count(*outer);
        if (repetitions < 2 || balance(repetitions, options_.threads) >= enough_balance) return {};
        std::vector<Phase> result;
        Body serial;
        const auto close_serial = [&] {
            if (!serial.empty()) result.push_back(repeated_phase(*outer, std::exchange(serial, {})));
        };
        for (const Statement& inner : outer->body) {
            std::optional<Phase> phase = repeated_parallel_phase(*outer, inner);
            if (!phase) {
                serial.push_back(inner);
                continue;
            }
            close_serial();
            result.push_back(std::move(*phase));
        }
        close_serial();
        double cost = 0;
        for (const Phase& phase : result) cost += static_cast<double>(repetitions) * cost_of(phase);
        if (cost >= cost_of(*whole)) return {};
        ++repeated_;
        for (Phase& phase : result) phase.repeated = repeated_, phase.repetitions = repetitions;
        return result;
    }

    /// `body` in one iteration of the loop, which is a parameter; `operations` are those of one iteration.
    Phase repeated_phase(const For& outer, Body body) const {
        For loop = outer;
        loop.kind = For::Kind::serial;
        loop.body = std::move(body);
        Phase phase = phase_of({Statement{std::move(loop)}});
        For& one = std::get<For>(phase.program.body[0].node);
        const Affine iteration = parameter(phase.program, "repetition", PhaseParameter::repetition);
        restrict_iterations(one, iteration, iteration + 1);
        for (BufferInfo& buffer : phase.program.buffers)
            if (buffer.nest_depth > 0) --buffer.nest_depth;
        phase.operations /= static_cast<double>(constant_trip_count(outer));
        return phase;
    }

    std::optional<Phase> repeated_parallel_phase(const For& outer, const Statement& inner) const {
        const auto* loop = std::get_if<For>(&inner.node);
        if (loop == nullptr || loop->kind != For::Kind::parallel) return std::nullopt;
        Phase phase = repeated_phase(outer, {inner});
        if (phase.operations < options_.least_operations) return std::nullopt;
        For& one = std::get<For>(phase.program.body[0].node);
        return shared(std::move(phase), std::get<For>(one.body[0].node));
    }

    /// The phase with a loop in `outermost` shared among threads.
    std::optional<Phase> shared(Phase phase, For& outermost) const {
        For* loop = shared_loop(outermost, options_.threads);
        if (loop == nullptr) return std::nullopt;
        phase.is_parallel = true;
        phase.iterations = constant_trip_count(*loop);
        phase.grain = StoreDistances(phase.program).grain_of(*loop);
        restrict_iterations(*loop, parameter(phase.program, "first", PhaseParameter::first),
                            parameter(phase.program, "last", PhaseParameter::last));
        return phase;
    }

    static Affine parameter(Program& program, std::string name, int position) {
        program.variables.push_back({std::move(name), VariableInfo::Kind::parameter, position});
        return Affine::of(static_cast<Variable>(program.variables.size() - 1));
    }

    Program frame_; ///< everything but the statements
    const PhaseOptions& options_;
    std::vector<Phase> phases_;
    Integer repeated_ = 0; ///< loops whose bodies became phases
};

} // namespace

double balance(Integer iterations, Integer threads) {
    return static_cast<double>(iterations) / static_cast<double>(ceil_divide(iterations, threads) * threads);
}

std::vector<Phase> phases(Program program, const PhaseOptions& options) {
    return Cut(std::move(program), options).run();
}

} // namespace swirl::passes
