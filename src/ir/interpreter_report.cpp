#include "ir/interpreter_executor.hpp"
#include "ir/print.hpp"

#include <algorithm>

namespace swirl::ir {

using namespace interpreted;

std::string_view name_of(Diagnostic::Kind kind) {
    switch (kind) {
    case Diagnostic::Kind::out_of_bounds: return "access out of bounds";
    case Diagnostic::Kind::unwritten_read: return "read of unwritten memory";
    case Diagnostic::Kind::read_only_write: return "write to read-only memory";
    case Diagnostic::Kind::race: return "race";
    case Diagnostic::Kind::divergent_barrier: return "divergent barrier";
    case Diagnostic::Kind::misaligned: return "misaligned access";
    case Diagnostic::Kind::incomplete_warp: return "instruction without all its threads";
    case Diagnostic::Kind::unfinished_async_copy: return "copy that is not waited for";
    case Diagnostic::Kind::misused_mbarrier: return "misuse of a signal";
    case Diagnostic::Kind::deadlock: return "deadlock";
    case Diagnostic::Kind::missing_proxy_fence: return "read of a tile that is not published";
    case Diagnostic::Kind::missing_wgmma_fence: return "products that have not begun";
    }
    return "?";
}

AccessCounts& AccessCounts::operator+=(const AccessCounts& other) {
    accesses += other.accesses;
    bytes += other.bytes;
    sectors += other.sectors;
    extra_cycles += other.extra_cycles;
    return *this;
}

AccessCounts InterpreterReport::traffic(Buffer buffer) const {
    AccessCounts sum = loads.at(static_cast<std::size_t>(buffer));
    return sum += stores.at(static_cast<std::size_t>(buffer));
}

Integer InterpreterReport::bank_conflict_cycles() const {
    Integer sum = 0;
    for (const auto* counts : {&loads, &stores})
        for (const AccessCounts& buffer : *counts) sum += buffer.extra_cycles;
    return sum;
}

Integer InterpreterReport::sectors() const {
    Integer sum = 0;
    for (const auto* counts : {&loads, &stores})
        for (const AccessCounts& buffer : *counts) sum += buffer.sectors;
    return sum;
}

std::string InterpreterReport::text() const {
    std::string lines;
    for (const Diagnostic& diagnostic : diagnostics) {
        lines += diagnostic.message;
        if (diagnostic.times > 1) lines += fmt::format(" ({} times)", diagnostic.times);
        lines += '\n';
    }
    return lines;
}

InterpreterError::InterpreterError(const std::string& program, InterpreterReport report)
    : InternalError("program '{}' is not sound:\n{}", program, report.text()),
      report_(std::make_shared<const InterpreterReport>(std::move(report))) {}

/// The position in the launch, and the values of all named variables.
std::string Interpreter::Executor::location_of(const Diagnostic& diagnostic, int thread) const {
    std::string text;
    if (on_gpu_)
        text = fmt::format(" in block ({}, {}, {}), thread ({}, {}, {})", diagnostic.block[0],
                           diagnostic.block[1], diagnostic.block[2], diagnostic.thread[0],
                           diagnostic.thread[1], diagnostic.thread[2]);
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
        const VariableInfo& info = program_.variables[v];
        if (info.kind == VariableInfo::Kind::thread || info.kind == VariableInfo::Kind::block) continue;
        text += fmt::format(", {} = {}", info.name,
                            variables_[v * code_.threads + static_cast<std::size_t>(thread)]);
    }
    return text;
}

void Interpreter::Executor::add_diagnostic(Diagnostic diagnostic, int thread, const std::string& what) {
    Integer block = on_gpu_ ? block_ + block_in_cluster(thread) : 0;
    Integer index = thread % static_cast<Integer>(code_.block_threads);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        diagnostic.block[axis] = block % program_.launch.blocks[axis];
        block /= program_.launch.blocks[axis];
        diagnostic.thread[axis] = index % program_.launch.threads[axis];
        index /= program_.launch.threads[axis];
    }
    diagnostic.message =
        fmt::format("{}: {}{}", name_of(diagnostic.kind), what, location_of(diagnostic, thread));
    report_.diagnostics.push_back(std::move(diagnostic));
}

/// Whether the error is new and the report has capacity for it.
bool Interpreter::Executor::is_new(Diagnostic::Kind kind, Value operation) {
    const auto known =
        std::find_if(report_.diagnostics.begin(), report_.diagnostics.end(),
                     [&](const Diagnostic& f) { return f.kind == kind && f.operation == operation; });
    if (known != report_.diagnostics.end()) ++known->times;
    return known == report_.diagnostics.end() && std::ssize(report_.diagnostics) < options_.max_diagnostics;
}

void Interpreter::Executor::report(Diagnostic::Kind kind, const DecodedOperation& op, Integer element,
                                   int thread) {
    report(kind, op, op.buffer, element, thread);
}

void Interpreter::Executor::report(Diagnostic::Kind kind, const DecodedOperation& op, Buffer buffer,
                                   Integer element, int thread) {
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
    report(kind, op, buffer, element, thread,
           fmt::format("(elements {} to {})", info.first, info.first + info.elements - 1));
}

void Interpreter::Executor::report(Diagnostic::Kind kind, const DecodedOperation& op, Buffer buffer,
                                   Integer element, int thread, const std::string& what) {
    if (!is_new(kind, op.value)) return;
    Diagnostic diagnostic;
    diagnostic.kind = kind;
    diagnostic.operation = op.value;
    diagnostic.buffer = buffer;
    diagnostic.element = element;
    add_diagnostic(std::move(diagnostic), thread,
                   fmt::format("{}[{}] {} by '{}'", program_.buffers[static_cast<std::size_t>(buffer)].name,
                               element, what, to_string(program_, op.value)));
}

void Interpreter::Executor::report_incomplete_warp(const DecodedOperation& op, int thread) {
    if (!is_new(Diagnostic::Kind::incomplete_warp, op.value)) return;
    Diagnostic diagnostic;
    diagnostic.kind = Diagnostic::Kind::incomplete_warp;
    diagnostic.operation = op.value;
    add_diagnostic(std::move(diagnostic), thread, fmt::format("'{}'", to_string(program_, op.value)));
}

void Interpreter::Executor::report_divergence(Threads threads) {
    if (!is_new(Diagnostic::Kind::divergent_barrier, no_value)) return;
    Diagnostic diagnostic;
    diagnostic.kind = Diagnostic::Kind::divergent_barrier;
    add_diagnostic(std::move(diagnostic), threads.front(),
                   fmt::format("{} of {} threads arrive, the first of them", threads.size(), code_.threads));
}

} // namespace swirl::ir
