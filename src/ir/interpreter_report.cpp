#include "ir/interpreter_machine.hpp"
#include "ir/print.hpp"

#include <algorithm>

namespace swirl::ir {

using namespace interpreted;

std::string_view name_of(Finding::Kind kind) {
    switch (kind) {
    case Finding::Kind::out_of_bounds: return "access out of bounds";
    case Finding::Kind::unwritten_read: return "read of unwritten memory";
    case Finding::Kind::read_only_write: return "write to read-only memory";
    case Finding::Kind::race: return "race";
    case Finding::Kind::divergent_barrier: return "divergent barrier";
    case Finding::Kind::misaligned: return "misaligned access";
    case Finding::Kind::divided_team: return "instruction without all its threads";
    case Finding::Kind::unfinished_copy: return "copy that is not waited for";
    case Finding::Kind::misused_signal: return "misuse of a signal";
    case Finding::Kind::deadlock: return "deadlock";
    case Finding::Kind::unpublished_read: return "read of a tile that is not published";
    case Finding::Kind::missing_begin: return "products that have not begun";
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
    for (const Finding& finding : findings) {
        lines += finding.message;
        if (finding.times > 1) lines += fmt::format(" ({} times)", finding.times);
        lines += '\n';
    }
    return lines;
}

InterpreterError::InterpreterError(const std::string& program, InterpreterReport report)
    : InternalError("program '{}' is not sound:\n{}", program, report.text()),
      report_(std::make_shared<const InterpreterReport>(std::move(report))) {}

/// Where in the launch, and the values of all variables that have a name.
std::string Interpreter::Machine::place(const Finding& finding, int thread) const {
    std::string text;
    if (on_gpu_)
        text = fmt::format(" in block ({}, {}, {}), thread ({}, {}, {})", finding.block[0], finding.block[1],
                           finding.block[2], finding.thread[0], finding.thread[1], finding.thread[2]);
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
        const VariableInfo& info = program_.variables[v];
        if (info.kind == VariableInfo::Kind::thread || info.kind == VariableInfo::Kind::block) continue;
        text += fmt::format(", {} = {}", info.name,
                            variables_[v * code_.threads + static_cast<std::size_t>(thread)]);
    }
    return text;
}

void Interpreter::Machine::add_finding(Finding finding, int thread, const std::string& what) {
    Integer block = on_gpu_ ? block_ + block_in_cluster(thread) : 0;
    Integer number = thread % static_cast<Integer>(code_.block_threads);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        finding.block[axis] = block % program_.launch.blocks[axis];
        block /= program_.launch.blocks[axis];
        finding.thread[axis] = number % program_.launch.threads[axis];
        number /= program_.launch.threads[axis];
    }
    finding.message = fmt::format("{}: {}{}", name_of(finding.kind), what, place(finding, thread));
    report_.findings.push_back(std::move(finding));
}

/// Whether a mistake is told of for the first time, and there is room.
bool Interpreter::Machine::is_new(Finding::Kind kind, Value operation) {
    const auto known = std::find_if(report_.findings.begin(), report_.findings.end(), [&](const Finding& f) {
        return f.kind == kind && f.operation == operation;
    });
    if (known != report_.findings.end()) ++known->times;
    return known == report_.findings.end() && std::ssize(report_.findings) < options_.most_findings;
}

void Interpreter::Machine::report(Finding::Kind kind, const Step& step, Integer element, int thread) {
    report(kind, step, step.buffer, element, thread);
}

void Interpreter::Machine::report(Finding::Kind kind, const Step& step, Buffer buffer, Integer element,
                                  int thread) {
    const BufferInfo& info = program_.buffers[static_cast<std::size_t>(buffer)];
    report(kind, step, buffer, element, thread,
           fmt::format("(elements {} to {})", info.first, info.first + info.elements - 1));
}

void Interpreter::Machine::report(Finding::Kind kind, const Step& step, Buffer buffer, Integer element,
                                  int thread, const std::string& what) {
    if (!is_new(kind, step.value)) return;
    Finding finding;
    finding.kind = kind;
    finding.operation = step.value;
    finding.buffer = buffer;
    finding.element = element;
    add_finding(std::move(finding), thread,
                fmt::format("{}[{}] {} by '{}'", program_.buffers[static_cast<std::size_t>(buffer)].name,
                            element, what, to_string(program_, step.value)));
}

void Interpreter::Machine::report_team(const Step& step, int thread) {
    if (!is_new(Finding::Kind::divided_team, step.value)) return;
    Finding finding;
    finding.kind = Finding::Kind::divided_team;
    finding.operation = step.value;
    add_finding(std::move(finding), thread, fmt::format("'{}'", to_string(program_, step.value)));
}

void Interpreter::Machine::report_divergence(Threads threads) {
    if (!is_new(Finding::Kind::divergent_barrier, no_value)) return;
    Finding finding;
    finding.kind = Finding::Kind::divergent_barrier;
    add_finding(std::move(finding), threads.front(),
                fmt::format("{} of {} threads arrive, the first of them", threads.size(), code_.threads));
}

} // namespace swirl::ir
