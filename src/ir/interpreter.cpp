#include "ir/interpreter.hpp"

#include "ir/analysis.hpp"
#include "ir/interpreter_arithmetic.hpp"
#include "ir/interpreter_executor.hpp"
#include "ir/ranges.hpp"
#include "ir/tile.hpp"

#include <numeric>

namespace swirl::ir {

using namespace interpreted;

Interpreter::Executor::Executor(const Program& program)
    : program_(program),
      code_(program),
      on_gpu_(program.launch != Launch{}),
      checks_races_(on_gpu_ || code_.has_parallel_loop),
      variables_(program.variables.size() * code_.threads, 0),
      all_threads_(code_.threads),
      views_(program.buffers.size()),
      own_memories_(program.buffers.size()),
      copies_(code_.threads),
      accumulators_(program.buffers.size()),
      products_(code_.threads),
      tma_stores_(code_.threads),
      publications_(code_.threads),
      begins_(code_.threads, 0) {
    std::iota(all_threads_.begin(), all_threads_.end(), 0);
    ensure(on_gpu_ || !code_.has_async_agents, "'{}' has roles, tiles or signals, and one thread",
           program.name);
}

InterpreterReport Interpreter::Executor::run(Arguments& arguments, const InterpreterOptions& options) {
    options_ = options;
    report_ = InterpreterReport{};
    report_.loads.resize(program_.buffers.size());
    report_.stores.resize(program_.buffers.size());
    bind(arguments);
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
        const VariableInfo& info = program_.variables[v];
        if (info.kind != VariableInfo::Kind::parameter) continue;
        ensure(info.axis >= 0 && info.axis < std::ssize(arguments.parameters),
               "'{}' is run without its parameter '{}'", program_.name, info.name);
        std::fill_n(variables_.begin() + static_cast<std::ptrdiff_t>(v * code_.threads), code_.threads,
                    arguments.parameters[static_cast<std::size_t>(info.axis)]);
    }
    run_blocks();
    if (options.throw_on_diagnostic && !report_.ok())
        throw InterpreterError(program_.name, std::move(report_));
    return std::move(report_);
}

void Interpreter::Executor::run_blocks() {
    region_ = 0;
    epochs_.assign(static_cast<std::size_t>(code_.blocks_per_group), 0);
    cluster_epoch_ = 0;
    arrivals_ = waits_ = 0;
    std::fill(copies_.begin(), copies_.end(), Copies{});
    in_parallel_loop_ = false;
    for (Integer cluster = 0; cluster < code_.clusters; ++cluster) {
        start_cluster(cluster);
        try {
            execute(code_.body, all_threads_);
            expect_no_copies();
            expect_no_arrivals();
        } catch (const Stopped&) {
            return;
        }
        for (std::int32_t& epoch : epochs_) ++epoch;
        ++cluster_epoch_;
    }
}

void Interpreter::Executor::start_cluster(Integer cluster) {
    block_ = cluster * code_.blocks_per_group;
    reset_own_memory();
    if (code_.has_async_agents) reset_clocks();
    const auto split = [](Integer index, const std::array<Integer, 3>& extents, int axis) {
        for (int a = 0; a < axis; ++a) index /= extents[static_cast<std::size_t>(a)];
        return index % extents[static_cast<std::size_t>(axis)];
    };
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
        const VariableInfo& info = program_.variables[v];
        Integer* values = variables_.data() + v * code_.threads;
        for (std::size_t t = 0; t < code_.threads; ++t) {
            const auto thread = static_cast<Integer>(t % code_.block_threads);
            const Integer block = block_ + static_cast<Integer>(t / code_.block_threads);
            if (info.kind == VariableInfo::Kind::thread)
                values[t] = info.digit_of(split(thread, program_.launch.threads, info.axis));
            if (info.kind == VariableInfo::Kind::block)
                values[t] = info.digit_of(split(block, program_.launch.blocks, info.axis));
        }
    }
}

Integer Interpreter::Executor::evaluate(const Form& form, int thread) const {
    Integer sum = form.constant;
    const Term* term = code_.terms.data() + form.first;
    for (const Term* const end = term + form.count; term != end; ++term)
        sum += term->coefficient * variables_[term->variable + static_cast<std::size_t>(thread)];
    return sum;
}

// ---- statements -----------------------------------------------------------------------------------------------

void Interpreter::Executor::execute(std::vector<Node>& nodes, Threads threads) {
    for (Node& node : nodes) {
        switch (node.kind) {
        case Node::Kind::block: execute_block(node, threads); break;
        case Node::Kind::loop: execute_loop(node, threads); break;
        case Node::Kind::condition: execute_condition(node, threads); break;
        case Node::Kind::barrier: execute_barrier(node, threads); break;
        case Node::Kind::fence: execute_fence(node, threads); break;
        case Node::Kind::roles: execute_roles(node, threads); break;
        }
    }
}

/// Executes an operation of asynchronous agents; false for any other operation.
bool Interpreter::Executor::execute_async(const DecodedOperation& operation, Threads threads) {
    switch (operation.opcode) {
    case Opcode::tma_load: tma_load(operation, threads); return true;
    case Opcode::tma_store: tma_store(operation, threads); return true;
    case Opcode::wgmma: wgmma(operation, complete_warps(operation, threads)); return true;
    case Opcode::mbarrier_init: mbarrier_init(operation, threads); return true;
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_expect_tx: mbarrier_arrive(operation, threads); return true;
    case Opcode::mbarrier_wait: mbarrier_wait(operation, threads); return true;
    default: return false;
    }
}

void Interpreter::Executor::execute_block(const Node& node, Threads threads) {
    const auto participants = static_cast<Integer>(threads.size());
    for (std::size_t i = node.first; i < node.last; ++i) {
        const DecodedOperation& operation = code_.operations[i];
        report_.operations[static_cast<std::size_t>(operation.opcode)] += participants;
        report_.lanes[static_cast<std::size_t>(operation.opcode)] += participants * operation.lanes;
        if (execute_async(operation, threads)) continue;
        switch (operation.opcode) {
        case Opcode::load: load(operation, threads); break;
        case Opcode::store: store(operation, threads); break;
        case Opcode::atomic_add: atomic_add(operation, threads); break;
        case Opcode::prefetch: break;
        case Opcode::index:
            for (const int t : threads)
                code_.cells[operation.result + static_cast<std::size_t>(t)].integer =
                    evaluate(operation.index, t);
            break;
        case Opcode::instruction:
            report_.flops += participants * operation.source->instruction->flops;
            compute(operation, code_.cells.data(), complete_warps(operation, threads), code_.threads);
            break;
        default:
            report_.flops += participants * flops_of(operation.opcode, operation.scalar) * operation.lanes;
            compute(operation, code_.cells.data(), threads, code_.threads);
        }
    }
}

/// The threads whose whole group executes a collective instruction; incomplete groups are a diagnostic.
Interpreter::Executor::Threads Interpreter::Executor::complete_warps(const DecodedOperation& operation,
                                                                     Threads threads) {
    const auto team = static_cast<std::size_t>(operation.opcode == Opcode::wgmma
                                                   ? operation.source->tile->instruction->threads
                                                   : operation.source->instruction->threads);
    if (team == 1) return threads;
    whole_.clear();
    for (std::size_t first = 0; first < threads.size();) {
        const int thread = threads[first];
        const std::size_t own = static_cast<std::size_t>(thread) % code_.block_threads;
        const bool is_whole = own % team == 0 && own + team <= code_.block_threads &&
                              first + team <= threads.size() &&
                              threads[first + team - 1] == thread + static_cast<int>(team) - 1;
        if (is_whole)
            whole_.insert(whole_.end(), threads.begin() + static_cast<std::ptrdiff_t>(first),
                          threads.begin() + static_cast<std::ptrdiff_t>(first + team));
        else
            report_incomplete_warp(operation, thread);
        first += is_whole ? team : 1;
    }
    return whole_;
}

void Interpreter::Executor::execute_loop(Node& node, Threads threads) {
    if (node.iterations_are_blocks && !on_gpu_) return execute_iterations(node, threads);
    const For& loop = *node.loop;
    Integer* const variable = variables_.data() + static_cast<std::size_t>(loop.variable) * code_.threads;
    const auto induction = [&](std::size_t i) {
        return variables_.data() + static_cast<std::size_t>(loop.inductions[i].variable) * code_.threads;
    };
    std::size_t count = 0;
    for (const int t : threads) {
        const Integer begin = evaluate(node.begin, t);
        node.ends[static_cast<std::size_t>(t)] = evaluate(node.end, t);
        for (std::size_t i = 0; i < node.starts.size(); ++i) induction(i)[t] = evaluate(node.starts[i], t);
        variable[t] = begin;
        if (begin < node.ends[static_cast<std::size_t>(t)]) node.threads[count++] = t;
    }
    const auto next = [&](std::size_t k, int t) {
        const Induction& own = loop.inductions[k];
        const Integer left = iterations(node.ends[static_cast<std::size_t>(t)] - variable[t], loop.step);
        const Integer last = std::ssize(own.last);
        if (left == 0 || left > last)
            induction(k)[t] += own.step;
        else
            induction(k)[t] = evaluate(node.starts[k], t) + own.last[static_cast<std::size_t>(last - left)];
    };
    while (count > 0) {
        execute(node.body, Threads(node.threads).first(count));
        std::size_t left = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const int t = node.threads[i];
            variable[t] += loop.step;
            for (std::size_t k = 0; k < node.starts.size(); ++k) next(k, t);
            if (variable[t] < node.ends[static_cast<std::size_t>(t)]) node.threads[left++] = t;
        }
        count = left;
    }
}

/// A parallel loop on a CPU, which has a single thread.
void Interpreter::Executor::execute_iterations(Node& node, Threads threads) {
    const For& loop = *node.loop;
    const int thread = threads.front();
    const Integer begin = evaluate(node.begin, thread);
    const Integer trips = std::max<Integer>(0, ceil_divide(evaluate(node.end, thread) - begin, loop.step));
    std::vector<Integer> starts;
    for (const Form& start : node.starts) starts.push_back(evaluate(start, thread));
    const Affine extent = loop.end - loop.begin;
    const bool is_nest = !extent.is_constant() || extent.constant() > loop.step;
    const bool opens_region = !in_parallel_loop_;
    if (opens_region) {
        in_parallel_loop_ = true;
        ++region_;
    }
    for (Integer trip = trips; trip-- > 0;) {
        for (std::size_t k = 0; k < starts.size(); ++k)
            variables_[static_cast<std::size_t>(loop.inductions[k].variable)] =
                starts[k] + loop.inductions[k].distance(trip, trips);
        variables_[static_cast<std::size_t>(loop.variable)] = begin + trip * loop.step;
        ++block_;
        reset_memory_of_iteration();
        nest_depth_ += is_nest;
        execute(node.body, threads);
        nest_depth_ -= is_nest;
    }
    reset_memory_of_iteration();
    if (!opens_region) return;
    in_parallel_loop_ = false;
    ++region_;
    block_ = 0;
}

void Interpreter::Executor::execute_condition(Node& node, Threads threads) {
    std::size_t holding = 0;
    std::size_t failing = 0;
    for (const int t : threads) {
        bool holds = true;
        for (std::size_t i = 0; i < node.forms.size(); ++i) {
            Integer index = evaluate(node.forms[i], t);
            if (node.values[i] != nowhere)
                index += code_.cells[node.values[i] + static_cast<std::size_t>(t)].integer;
            holds = holds && node.condition->conditions[i].holds_of(index);
        }
        (holds ? node.threads[holding++] : node.others[failing++]) = t;
    }
    if (holding > 0) execute(node.body, Threads(node.threads).first(holding));
    if (failing > 0) execute(node.otherwise, Threads(node.others).first(failing));
}

/// Either all threads of a block arrive or none.
bool Interpreter::Executor::are_whole_blocks(Threads threads) const {
    if (threads.size() % code_.block_threads != 0) return false;
    for (std::size_t first = 0; first < threads.size(); first += code_.block_threads)
        if (static_cast<std::size_t>(threads[first]) % code_.block_threads != 0 ||
            threads[first + code_.block_threads - 1] !=
                threads[first] + static_cast<int>(code_.block_threads) - 1)
            return false;
    return true;
}

void Interpreter::Executor::execute_barrier(const Node& node, Threads threads) {
    const bool of_all = node.of_cluster || node.of_cooperative_group;
    const bool all_there = node.role != nullptr ? std::ssize(threads) == node.role->threads
                           : of_all             ? threads.size() == code_.threads
                                                : are_whole_blocks(threads);
    if (!all_there) report_divergence(threads);
    report_.barriers += ceil_divide(std::ssize(threads), static_cast<Integer>(code_.block_threads));
    for (std::size_t t = 0; t < threads.size(); t += code_.block_threads)
        ++epochs_[static_cast<std::size_t>(block_in_cluster(threads[t]))];
    if (code_.has_async_agents) order_by_barrier(node, threads);
    if (node.of_cluster) ++cluster_epoch_;
    if (of_all && node.half != Barrier::Half::wait) ++arrivals_;
    if (of_all && node.half != Barrier::Half::arrive) waits_ = arrivals_;
}

// ---- public interface -----------------------------------------------------------------------------------------

Interpreter::Interpreter(const Program& program) : executor_(std::make_unique<Executor>(program)) {}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&&) noexcept = default;

InterpreterReport Interpreter::run(Arguments& arguments, const InterpreterOptions& options) {
    return executor_->run(arguments, options);
}

InterpreterReport interpret(const Program& program, Arguments& arguments, const InterpreterOptions& options) {
    return Interpreter(program).run(arguments, options);
}

} // namespace swirl::ir
