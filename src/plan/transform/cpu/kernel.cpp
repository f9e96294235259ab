#include "plan/transform/cpu/kernel.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "loops/passes.hpp"
#include "passes/change_layout.hpp"
#include "passes/pipeline.hpp"
#include "plan/stored_kernel_info.hpp"
#include "plan/stored_types.hpp"
#include "plan/transform/cpu/tables.hpp"

#include <algorithm>

namespace swirl::planning {

namespace {

/// Distance modulo the page size between starts of scratch buffers: equal indices then use different cache sets.
constexpr std::size_t stagger = 2 * cache_line;
/// Smaller tables are copied together, onto few pages. Larger ones stay where they were made, and kernels share them.
constexpr std::size_t least_shared_table = std::size_t{1} << 12;

} // namespace

Binding::Source source_of(const ir::Role& role, const DimensionPass& pass) {
    using enum ir::ArgumentRole;
    const bool imaginary = role.component == ir::Component::imaginary;
    if (role.argument == auxiliary) {
        ensure(static_cast<std::size_t>(role.index) < pass.arrays.size(),
               "a kernel asks for auxiliary array {} of {}", role.index, pass.arrays.size());
        return Binding::array_source(static_cast<std::size_t>(role.index), imaginary);
    }
    ensure(role.argument == input || role.argument == output || role.argument == data,
           "a kernel asks for an argument that no plan has: {}", ir::to_string(role));
    switch (role.argument == input ? pass.source : pass.target) {
    case DataLocation::input: return imaginary ? Binding::Source::input_imaginary : Binding::Source::input;
    case DataLocation::output: return imaginary ? Binding::Source::output_imaginary : Binding::Source::output;
    case DataLocation::intermediate: return Binding::Source::intermediate;
    }
    throw InternalError("unknown placement");
}

ir::Program laid_out(ir::Program program, const Transform& problem, const DimensionPass& pass) {
    using enum ir::ArgumentRole;
    const auto split = [&](const ir::Role& role) {
        if (const auto buffer = program.buffer_with(role))
            program = passes::interleaved_to_planar(std::move(program), *buffer);
    };
    if (is_planar(problem, pass.source)) split({input});
    if (is_planar(problem, pass.target)) split({output}), split({data});
    if (stores_reals_at(problem, pass.target))
        if (const auto buffer = program.buffer_with({output}))
            program = passes::real_components(std::move(program), *buffer);
    int index = 0;
    for (const AuxiliaryArray& array : arrays_of(problem)) {
        if (array.is_complex && problem.layout == ComplexLayout::planar) split({auxiliary, index});
        ++index;
    }
    return program;
}

Derivation derive(const Transform& problem, const DimensionPass& pass, const rules::BreakdownTree& tree,
                  const target::Cpu& cpu, const CodeOptions& code) {
    lower::KernelRequest request = kernel_request(problem, {pass, tree}, cpu, code);
    loops::LoopProgram loops = loops::loops_for_cpu(request.loops);
    ir::Program lowered = lower::lower(request, loops);
    lowered = laid_out(std::move(lowered), problem, pass);
    ir::Program machine = with_stored_types(passes::run_for_cpu(lowered, cpu), problem, pass);
    ir::compact(machine); // numbers operations in the order in which they are read
    return {std::move(request.loops.formula), std::move(loops), std::move(lowered), std::move(machine)};
}

ir::Program optimized_program(const Transform& problem, const ExpandedPass& expanded, const target::Cpu& cpu,
                              const CodeOptions& code) {
    const auto lowered = [&] {
        const lower::KernelRequest request = kernel_request(problem, expanded, cpu, code);
        return laid_out(lower::lower(request), problem, expanded.pass);
    };
    return with_stored_types(passes::run_for_cpu(lowered(), cpu), problem, expanded.pass);
}

namespace {

bool lies_on_line(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % cache_line == 0; }

ir::Program with_aligned_arguments(ir::Program program) {
    for (ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::argument && buffer.non_temporal) buffer.alignment = cache_line;
    return program;
}

} // namespace

CompiledKernel::CompiledKernel(const ir::Program& program, const DimensionPass& pass,
                               const target::Cpu& cpu) {
    bind(program, pass);
    info_ = ir::describe(program);
    compile(program, cpu);
    if (aligned_code_.empty()) whole_ = code_.front().function();
}

CompiledKernel::CompiledKernel(const ir::Program& program, const DimensionPass& pass, const target::Cpu& cpu,
                               const std::vector<passes::Phase>& phases, int team) {
    bind(program, pass);
    info_ = ir::describe(program);
    team_ = team;
    phases_.clear();
    for (const passes::Phase& phase : phases) {
        phases_.push_back(
            {phase.is_parallel, phase.iterations, phase.grain, phase.repeated, phase.repetitions});
        compile(phase.program, cpu);
    }
}

void CompiledKernel::compile(const ir::Program& program, const target::Cpu& cpu) {
    const jit::MachineCode code = jit::compile(program, cpu);
    statistics_ += code.statistics;
    code_.emplace_back(code);
    if (!non_temporal_arguments_.empty())
        aligned_code_.emplace_back(jit::compile(with_aligned_arguments(program), cpu));
}

std::vector<const void*> CompiledKernel::allocate_tables(const ir::Program& program) {
    const auto is_gathered = [](const ir::BufferInfo& table) {
        return bytes_of(table) < least_shared_table || data_of(table) == nullptr;
    };
    std::size_t bytes = 0;
    for (const ir::BufferInfo& buffer : program.buffers)
        if (buffer.space == ir::Space::table && is_gathered(buffer))
            bytes += in_whole_lines(bytes_of(buffer));
    tables_ = runtime::AlignedBuffer(bytes);
    std::vector<const void*> addresses;
    std::byte* next = tables_.as<std::byte>();
    for (const ir::BufferInfo& buffer : program.buffers) {
        addresses.push_back(nullptr);
        if (buffer.space != ir::Space::table) continue;
        if (is_gathered(buffer)) {
            fill_table(next, buffer);
            addresses.back() = next;
            next += in_whole_lines(bytes_of(buffer));
        } else {
            const TableBytes own(buffer.contents, static_cast<const std::byte*>(data_of(buffer)));
            shared_tables_.push_back(
                SharedTables::of_process().shared({own.get(), bytes_of(buffer)}, [&] { return own; }));
            addresses.back() = shared_tables_.back().get();
        }
    }
    return addresses;
}

void CompiledKernel::bind(const ir::Program& program, const DimensionPass& pass) {
    std::vector<char> used(program.buffers.size(), false);
    ir::for_each_operation(program, [&](ir::Value value) {
        if (ir::accesses_memory(program[value].opcode))
            used[static_cast<std::size_t>(program[value].address.buffer)] = true;
    });
    const std::vector<const void*> tables = allocate_tables(program);
    for (std::size_t k = 0; k < program.buffers.size(); ++k) {
        const ir::BufferInfo& buffer = program.buffers[k];
        if (buffer.space == ir::Space::scratch && !used[k]) {
            bindings_.push_back({Binding::Source::unused});
            continue;
        }
        switch (buffer.space) {
        case ir::Space::argument:
            if (buffer.non_temporal) non_temporal_arguments_.push_back(bindings_.size());
            bindings_.push_back({source_of(buffer.role, pass)});
            break;
        case ir::Space::table: bindings_.push_back({Binding::Source::table, 0, tables[k]}); break;
        case ir::Space::scratch:
            if (buffer.nest_depth > 0) {
                bindings_.push_back({buffer.nest_depth == 1 ? Binding::Source::nest_workspace
                                                            : Binding::Source::own_workspace,
                                     own_workspace_bytes_});
                own_workspace_bytes_ += in_whole_lines(bytes_of(buffer)) + stagger;
            } else {
                bindings_.push_back({Binding::Source::workspace, workspace_bytes_});
                workspace_bytes_ += in_whole_lines(bytes_of(buffer)) + stagger;
            }
            break;
        case ir::Space::local:
        case ir::Space::shared: break;
        }
    }
    constexpr std::size_t most = std::tuple_size_v<BufferPointers>;
    ensure(bindings_.size() <= most, "kernel {} has {} buffers; at most {} are foreseen", program.name,
           bindings_.size(), most);
}

std::size_t CompiledKernel::stored_bytes() const {
    return static_cast<std::size_t>(info_.table_bytes) + (aligned_code_.empty() ? 1 : 2) * statistics_.bytes;
}

namespace {

/// Descriptions of the buffers that a kernel is given: those that have bindings, in their order.
std::vector<const ir::KernelBuffer*> given_buffers(const ir::KernelInfo& info) {
    std::vector<const ir::KernelBuffer*> result;
    for (const ir::KernelBuffer& buffer : info.buffers)
        if (buffer.space != ir::Space::local && buffer.space != ir::Space::shared) result.push_back(&buffer);
    return result;
}

void write_code(ByteWriter& writer, const std::vector<runtime::ExecutableCode>& code) {
    writer.write_list(code, [&](const runtime::ExecutableCode& each) { writer.write(each.bytes()); });
}

using CodeBytes = std::vector<std::span<const std::byte>>;

CodeBytes read_code(ByteReader& reader) {
    CodeBytes code;
    reader.read_list(code, [&] { return reader.read_bytes(); });
    return code;
}

bool has_empty(const CodeBytes& code) {
    return std::any_of(code.begin(), code.end(), [](const auto& bytes) { return bytes.empty(); });
}

} // namespace

// Structured bindings name all members, so that adding a member without storing it does not compile.

void CompiledKernel::write(ByteWriter& writer) const {
    planning::write(writer, info_);
    writer.write_list(phases_, [&](const PhaseDescription& phase) {
        const auto& [is_parallel, iterations, grain, repeated, repetitions] = phase;
        writer.write_all(is_parallel, iterations, grain, repeated, repetitions);
    });
    const auto& [instructions, spills, reloads, folded_loads, bytes] = statistics_;
    writer.write_all(team_, workspace_bytes_, own_workspace_bytes_, instructions, spills, reloads,
                     folded_loads, bytes);
    const std::vector<const ir::KernelBuffer*> buffers = given_buffers(info_);
    ensure(buffers.size() == bindings_.size(), "{} bindings of {} buffers", bindings_.size(), buffers.size());
    std::size_t k = 0;
    writer.write_list(bindings_, [&](const Binding& binding) {
        const auto& [source, offset, table] = binding;
        const std::size_t size = table == nullptr ? 0 : static_cast<std::size_t>(buffers[k]->bytes);
        writer.write_all(source, offset);
        writer.write(std::span(static_cast<const std::byte*>(table), size));
        ++k;
    });
    writer.write_list(non_temporal_arguments_, [&](std::size_t argument) { writer.write(argument); });
    write_code(writer, code_);
    write_code(writer, aligned_code_);
    writer.write(whole_ != nullptr);
}

std::unique_ptr<Kernel> CompiledKernel::read(ByteReader& reader) {
    std::unique_ptr<CompiledKernel> kernel(new CompiledKernel);
    if (!kernel->read_members(reader)) return nullptr;
    return kernel;
}

bool CompiledKernel::read_members(ByteReader& reader) {
    info_ = read_kernel_info(reader);
    phases_.clear();
    reader.read_list(phases_, [&] {
        PhaseDescription phase;
        auto& [is_parallel, iterations, grain, repeated, repetitions] = phase;
        reader.read_all(is_parallel, iterations, grain, repeated, repetitions);
        return phase;
    });
    auto& [instructions, spills, reloads, folded_loads, bytes] = statistics_;
    reader.read_all(team_, workspace_bytes_, own_workspace_bytes_, instructions, spills, reloads,
                    folded_loads, bytes);
    std::vector<std::span<const std::byte>> tables;
    reader.read_list(bindings_, [&] {
        Binding binding{};
        reader.read_all(binding.source, binding.offset);
        tables.push_back(reader.read_bytes());
        return binding;
    });
    reader.read_list(non_temporal_arguments_, [&] { return reader.read<std::size_t>(); });
    const CodeBytes code = read_code(reader), aligned_code = read_code(reader);
    const bool is_one_function = reader.read<bool>();
    if (reader.has_failed() || team_ < 1 || bindings_.size() > std::tuple_size_v<BufferPointers>)
        return false;
    if (code.empty() || code.size() != phases_.size() || has_empty(code)) return false;
    if (has_empty(aligned_code) || (!aligned_code.empty() && aligned_code.size() != code.size()))
        return false;
    std::size_t table_bytes = 0;
    for (const auto& table : tables)
        if (table.size() < least_shared_table) table_bytes += in_whole_lines(table.size());
    tables_ = runtime::AlignedBuffer(table_bytes);
    std::byte* next = tables_.as<std::byte>();
    for (std::size_t k = 0; k < bindings_.size(); ++k) {
        if (static_cast<std::size_t>(bindings_[k].source) >= Binding::sources) return false;
        if (bindings_[k].source != Binding::Source::table) continue;
        if (tables[k].size() < least_shared_table) {
            std::copy(tables[k].begin(), tables[k].end(), next);
            bindings_[k].table = next;
            next += in_whole_lines(tables[k].size());
        } else {
            shared_tables_.push_back(
                SharedTables::of_process().shared(tables[k], [&] { return copied_table(tables[k]); }));
            bindings_[k].table = shared_tables_.back().get();
        }
    }
    for (const auto& each : code) code_.emplace_back(each);
    for (const auto& each : aligned_code) aligned_code_.emplace_back(each);
    if (is_one_function) whole_ = code_.front().function();
    return true;
}

void CompiledKernel::find_buffers(const Pointers& pointers, BufferPointers& buffers) const {
    void** next = buffers.data();
    for (const Binding& binding : bindings_)
        *next++ = binding.source == Binding::Source::unused ? nullptr
                  : binding.source == Binding::Source::table
                      ? const_cast<void*>(binding.table)
                      : static_cast<std::byte*>(pointers[binding.source]) + binding.offset;
}

void CompiledKernel::run_phase(const PhaseRun& run, runtime::IterationRange range,
                               const Pointers& pointers) const {
    BufferPointers buffers;
    find_buffers(pointers, buffers);
    const bool aligned =
        !aligned_code_.empty() && std::all_of(non_temporal_arguments_.begin(), non_temporal_arguments_.end(),
                                              [&](std::size_t k) { return lies_on_line(buffers[k]); });
    std::int64_t parameters[3];
    parameters[passes::PhaseParameter::first] = range.first;
    parameters[passes::PhaseParameter::last] = range.last;
    parameters[passes::PhaseParameter::repetition] = run.repetition;
    (aligned ? aligned_code_ : code_)[run.phase].function()(buffers.data(), parameters);
}

void CompiledKernel::run(const Pointers& pointers) const {
    if (whole_ == nullptr) return run_phases(pointers);
    BufferPointers buffers;
    find_buffers(pointers, buffers);
    whole_(buffers.data(), nullptr);
}

void CompiledKernel::run_phases(const Pointers& pointers) const {
    for_each_run(phases_, [&](const PhaseRun& run) {
        run_phase(run, {0, phases_[run.phase].iterations}, pointers);
    });
}

DirectCall CompiledKernel::direct_call() const {
    const std::size_t workspace = workspace_bytes_ + own_workspace_bytes_;
    if (whole_ == nullptr || bindings_.size() > DirectCall::max_buffers ||
        workspace > DirectCall::max_workspace)
        return {};
    DirectCall::Layout layout;
    bool has_output = false, has_input = false;
    for (std::uint8_t k = 0; k < bindings_.size(); ++k) {
        const Binding& binding = bindings_[k];
        const bool own = binding.source == Binding::Source::own_workspace ||
                         binding.source == Binding::Source::nest_workspace;
        switch (binding.source) {
        case Binding::Source::input:
            layout.input = k;
            has_input = true;
            break;
        case Binding::Source::output:
            layout.output = k;
            has_output = true;
            break;
        case Binding::Source::table: layout.buffers[k] = const_cast<void*>(binding.table); break;
        case Binding::Source::unused: break;
        case Binding::Source::workspace:
        case Binding::Source::nest_workspace:
        case Binding::Source::own_workspace:
            layout.scratch_index[layout.scratch] = k;
            layout.scratch_offset[layout.scratch++] =
                static_cast<std::uint16_t>(binding.offset + (own ? workspace_bytes_ : 0));
            break;
        case Binding::Source::intermediate: return {};
        default: layout.further[layout.further_count++] = {k, binding.source}; break;
        }
    }
    if (!has_output) return {};
    if (!has_input) layout.input = layout.output;
    return {whole_, layout};
}

} // namespace swirl::planning
