#include "passes/phases.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "ir/count.hpp"
#include "passes/statements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
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

/// Whether each execution starts at a multiple of the access's size.
bool is_aligned(const Operation& access) {
    const auto lanes = static_cast<Integer>(access.type.lanes);
    const Affine& index = access.address.index;
    const auto is_multiple = [&](const Affine::Term& term) { return term.coefficient % lanes == 0; };
    return index.constant() % lanes == 0 &&
           std::all_of(index.terms().begin(), index.terms().end(), is_multiple);
}

/// Cache lines per execution of an access. Neighbouring accesses share their lines: a fraction.
double lines_of(const Operation& access) {
    const auto bytes = static_cast<double>(bytes_of(access.type.scalar));
    if (access.address.lane_stride > 1) return access.active;
    const double whole = access.active * bytes / static_cast<double>(cache_line);
    return is_aligned(access) ? whole : 2 * whole;
}

/// Among threads, and written.
bool is_shared(const BufferInfo& buffer) {
    return buffer.space != Space::table && buffer.space != Space::local && buffer.nest_depth == 0;
}

/// Sets the operations and cache lines of all iterations.
void measure(Phase& phase) {
    const Program& program = phase.program;
    phase.operations = 0;
    phase.lines.assign(program.buffers.size(), 0);
    for_each_weighted_block(program, {}, [&](const StraightLineBlock& block, Integer executions) {
        const auto times = static_cast<double>(executions);
        phase.operations += static_cast<double>(block.operations.size()) * times;
        for (const Value value : block.operations) {
            const Operation& operation = program[value];
            if (!accesses_memory(operation.opcode)) continue;
            const auto buffer = static_cast<std::size_t>(operation.address.buffer);
            if (is_shared(program.buffers[buffer])) phase.lines[buffer] += lines_of(operation) * times;
        }
    });
}

/// Threads that are busy while `threads` share equal iterations, on average.
double busy_threads(Integer iterations, Integer threads) {
    return static_cast<double>(threads) * balance(iterations, threads);
}

double lines_in_all_buffers(const Phase& phase) {
    return std::accumulate(phase.lines.begin(), phase.lines.end(), 0.0);
}

/// Of one repetition of a phase, with its barrier, in operations. `lines`: that another thread may have accessed last.
double time_of(const Phase& phase, double lines, Integer members, const SharingCosts& costs) {
    const double busy = phase.is_parallel ? busy_threads(phase.iterations, members) : 1;
    return (costs.of_operation(members) * phase.operations + costs.of_line(members) * lines) / busy +
           costs.of_barrier(members);
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
        measure(phase);
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
        For& loop = std::get<For>(phase.program.body[0].node);
        return shared(std::move(phase), loop);
    }

    double cost_of(const Phase& phase) const {
        return time_of(phase, lines_in_all_buffers(phase), options_.threads, options_.costs);
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
        for (BufferInfo& buffer : phase.program.buffers)
            if (buffer.nest_depth > 0) --buffer.nest_depth;
        measure(phase); // again: memory that was private to an iteration is shared
        phase.operations /= static_cast<double>(constant_trip_count(outer));
        for (double& lines : phase.lines) lines /= static_cast<double>(constant_trip_count(outer));
        const Affine iteration = parameter(phase.program, "repetition", PhaseParameter::repetition);
        For& one = std::get<For>(phase.program.body[0].node);
        restrict_iterations(one, iteration, iteration + 1);
        return phase;
    }

    std::optional<Phase> repeated_parallel_phase(const For& outer, const Statement& inner) const {
        const auto* loop = std::get_if<For>(&inner.node);
        if (loop == nullptr || loop->kind != For::Kind::parallel) return std::nullopt;
        Phase phase = repeated_phase(outer, {inner});
        For& one = std::get<For>(phase.program.body[0].node);
        return shared(std::move(phase), std::get<For>(one.body[0].node));
    }

    /// The phase with a loop in `outermost` shared among threads.
    std::optional<Phase> shared(Phase phase, For& outermost) const {
        For* loop = shared_loop(outermost, options_.threads);
        if (loop == nullptr) return std::nullopt;
        phase.iterations = constant_trip_count(*loop);
        const double gain = phase.operations * (1 - 1 / busy_threads(phase.iterations, options_.threads));
        if (gain < options_.costs.of_barrier(options_.threads)) return std::nullopt;
        phase.is_parallel = true;
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

Integer fastest_team(const std::vector<Phase>& phases, const PhaseOptions& options) {
    // Threads find what only one phase accesses where they left it in the previous execution.
    std::vector<double> all;
    double serial = 0;
    for (const Phase& phase : phases) {
        all.resize(phase.lines.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] += phase.lines[k];
        serial += phase.operations * static_cast<double>(phase.repetitions);
    }
    std::vector<double> moved; ///< by phase
    for (const Phase& phase : phases) {
        double lines = 0;
        for (std::size_t k = 0; k < all.size(); ++k)
            lines += std::min(phase.lines[k], all[k] - phase.lines[k]);
        moved.push_back(phase.repeated != 0 ? lines_in_all_buffers(phase) : lines);
    }
    Integer best = 1;
    double best_time = serial / std::max(options.costs.least_gain, 1.0);
    for (Integer members = 2; members <= options.threads; ++members) {
        double time = options.costs.team;
        for (std::size_t k = 0; k < phases.size(); ++k)
            time += static_cast<double>(phases[k].repetitions) *
                    time_of(phases[k], moved[k], members, options.costs);
        if (time < best_time) best = members, best_time = time;
    }
    return best;
}

} // namespace swirl::passes
