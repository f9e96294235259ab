#include "plan/transform/gpu/kernel.hpp"

#include "base/error.hpp"
#include "ir/analysis.hpp"
#include "lower/gpu/lowering.hpp"
#include "passes/pipeline.hpp"
#include "plan/stored_types.hpp"
#include "plan/transform/cpu/tables.hpp"
#include "plan/transform/gpu/workspace.hpp"
#include "runtime/cache_key.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace swirl::planning {

namespace {

/// Scratch, also where kernels of a pass hand it on as arguments.
bool is_workspace(const ir::BufferInfo& buffer) {
    return buffer.role.argument == ir::ArgumentRole::workspace;
}

bool is_callers(const ir::BufferInfo& buffer) {
    return buffer.space == ir::Space::argument && !is_workspace(buffer);
}

void check_configurations(const PassSchedule& schedule, const target::Gpu& gpu) {
    if (schedule.configurations.empty())
        throw UserError(
            "the pass {} has no launch configuration\n"
            "  a pass on a GPU gives threads and transforms per block: '{} on 128x2'",
            rules::to_string(schedule.tree), rules::to_string(schedule.tree));
    for (const loops::LaunchConfiguration& configuration : schedule.configurations) {
        if (configuration.threads > gpu.threads_per_block)
            throw UserError("the pass {} on {} has blocks of {} threads; {} allows at most {}",
                            rules::to_string(schedule.tree), to_string(configuration), configuration.threads,
                            gpu.name, gpu.threads_per_block);
        if (configuration.cluster > std::max(1, gpu.largest_cluster))
            throw UserError("the pass {} on {} has clusters of {} blocks; {} allows at most {}",
                            rules::to_string(schedule.tree), to_string(configuration), configuration.cluster,
                            gpu.name, std::max(1, gpu.largest_cluster));
        if (configuration.resident > gpu.blocks_per_multiprocessor)
            throw UserError(
                "the pass {} on {} needs {} resident blocks; a multiprocessor of {} has at most {}",
                rules::to_string(schedule.tree), to_string(configuration), configuration.resident, gpu.name,
                gpu.blocks_per_multiprocessor);
    }
}

void check_storage(const Transform& problem, const target::Gpu& gpu) {
    bool has_bfloat16 = false;
    for (const Side side : {Side::input, Side::output})
        has_bfloat16 = has_bfloat16 || stored_precision(problem, side) == DataType::bfloat16;
    for (const AuxiliaryArray& array : arrays_of(problem))
        has_bfloat16 = has_bfloat16 || array.precision == DataType::bfloat16;
    if (has_bfloat16 && gpu.capability_major < 8)
        throw UserError(
            "{} has no instructions for bfloat16\n  use float16 or float32, or a GPU from sm_80 on",
            gpu.name);
}

bool is_auxiliary(const ir::BufferInfo& buffer) {
    return buffer.role.argument == ir::ArgumentRole::auxiliary;
}

DataLocation location_of(const ir::BufferInfo& buffer, const DimensionPass& pass) {
    return buffer.role.argument == ir::ArgumentRole::input ? pass.source : pass.target;
}

/// The caller's complex elements are aligned to their size, also where a pass treats them as pairs of reals.
void align_spectra(ir::Program& program, const Transform& problem, const DimensionPass& pass) {
    if (problem.layout != ComplexLayout::interleaved) return;
    for (ir::BufferInfo& buffer : program.buffers) {
        if (!is_callers(buffer) || is_auxiliary(buffer)) continue; // aligned as they are read
        const DataLocation location = location_of(buffer, pass);
        const bool in_place = problem.placement == Placement::in_place;
        const bool complex =
            location == DataLocation::intermediate ||
            is_complex(problem, location == DataLocation::input ? Side::input : Side::output) ||
            (in_place && is_complex(problem, Side::input));
        if (complex) buffer.alignment = std::max<Integer>(buffer.alignment, 2 * bytes_of(buffer.element));
    }
}

/// Scratch that one kernel leaves for another has contents when the other starts, so neither may treat it as scratch.
void hand_on_scratch(std::vector<ir::Program>& programs) {
    if (programs.size() == 1) return;
    for (ir::Program& program : programs) {
        std::vector<char> stored(program.buffers.size(), false);
        ir::for_each_operation(program, [&](ir::Value value) {
            const ir::Operation& operation = program[value];
            if (operation.opcode == ir::Opcode::store)
                stored[static_cast<std::size_t>(operation.address.buffer)] = true;
        });
        for (std::size_t b = 0; b < program.buffers.size(); ++b)
            if (program.buffers[b].space == ir::Space::scratch) {
                program.buffers[b].space = ir::Space::argument;
                program.buffers[b].written = stored[b] != 0;
            }
    }
}

/// Blocks of a cooperative group must all be resident, so registers are limited accordingly.
void make_resident(ir::Program& program, const target::Gpu& gpu) {
    ir::Launch& launch = program.launch;
    if (launch.cooperative_group == 1 || launch.resident > 0 || gpu.multiprocessors == 0) return;
    launch.resident = ceil_divide(launch.blocks[0], static_cast<Integer>(gpu.multiprocessors));
}

} // namespace

GpuDerivation derive_for_gpu(const Transform& problem, const DimensionPass& pass,
                             const PassSchedule& schedule, const target::Gpu& gpu) {
    check_configurations(schedule, gpu);
    check_storage(problem, gpu);
    const lower::KernelRequest request = kernel_request(problem, {pass, schedule.tree});
    GpuDerivation result{request.loops.formula, {}, {}};
    for (ir::Program& program : lower::lower_to_gpu(request, schedule.configurations))
        result.lowered.push_back(laid_out(std::move(program), problem, pass));
    for (ir::Program& program : result.lowered) {
        if (program.launch == ir::Launch{})
            throw UserError(
                "the pass {} on {} launches one thread, which is not supported\n  use 2 "
                "threads a block or more",
                rules::to_string(schedule.tree), to_string(schedule.configurations.front()));
        program = with_stored_types(std::move(program), problem, pass);
        align_spectra(program, problem, pass);
        make_resident(program, gpu);
    }
    const bool in_one = schedule.configurations.front().group_blocks >
                        0; // with a launch configuration for each of its phases
    if (schedule.configurations.size() > result.lowered.size() && !in_one)
        throw UserError("the pass {} has {} launch configurations for {} kernels",
                        rules::to_string(schedule.tree), schedule.configurations.size(),
                        result.lowered.size());
    hand_on_scratch(result.lowered);
    for (const ir::Program& program : result.lowered) result.programs.push_back(passes::run_for_gpu(program));
    return result;
}

namespace {

/// The radices of a kernel's passes, as far as the tree has them.
std::vector<Integer> factors_of(const rules::BreakdownTree& tree, std::size_t kernel) {
    if (tree.rule == "two-sweep" && !tree.children.empty()) // whose first kernel is the formula's last factor
        return factors_of(kernel == 0 ? tree.children.back() : tree.children.front(), 0);
    if (tree.rule == "rdft-two-sweep") return {};
    if (!tree.choice.empty()) return tree.choice;
    return tree.children.empty() ? std::vector<Integer>() : factors_of(tree.children.front(), kernel);
}

} // namespace

namespace {

/// Removes conditions on the block or the loop iteration, as if all blocks had the same number of iterations.
void clear_ends(ir::Program& program) {
    const auto is_of_threads = [&](const ir::Condition& condition) {
        return std::all_of(condition.form.terms().begin(), condition.form.terms().end(),
                           [&](const Affine::Term& term) {
                               return program.variables[static_cast<std::size_t>(term.variable)].kind ==
                                      ir::VariableInfo::Kind::thread;
                           });
    };
    ir::for_each_statement(program.body, [&](ir::Statement& statement) {
        if (auto* choice = std::get_if<ir::If>(&statement.node))
            std::erase_if(choice->conditions,
                          [&](const ir::Condition& condition) { return !is_of_threads(condition); });
    });
}

} // namespace

emit::PtxOptions ptx_options(const target::Gpu& gpu, const ir::Program& program) {
    const bool special = emit::needs_special_target(program);
    if (special && gpu.special_target.empty())
        throw UserError("kernel '{}' needs instructions that {} lacks", program.name, gpu.name);
    return {.target = std::string(special ? gpu.special_target : gpu.ptx_target),
            .version = std::string(gpu.ptx_version)};
}

std::vector<emit::PtxOptions> ptx_options(const target::Gpu& gpu, const std::vector<ir::Program>& programs,
                                          bool early) {
    Integer blocks = 0;
    for (const ir::Program& program : programs) {
        const ir::Launch& launch = program.launch;
        blocks += launch.blocks[0] * launch.blocks[1] * launch.blocks[2];
        early = early && launch.cooperative_group == 1; // whose counters are zeroed in the stream
    }
    early = early && blocks <= gpu.multiprocessors;
    std::vector<emit::PtxOptions> result;
    for (std::size_t k = 0; k < programs.size(); ++k) {
        emit::PtxOptions& options = result.emplace_back(ptx_options(gpu, programs[k]));
        options.starts_early = early && k > 0;
        options.lets_next_start = early && k + 1 < programs.size();
        options.arguments_overlap = options.starts_early; // the previous kernel may still write them
    }
    return result;
}

ir::KernelInfo describe_by_cluster(const ir::Program& program, const target::Gpu& gpu,
                                   const LaunchCount& count) {
    ir::Program cluster = program; // conditions that depend on the block would be evaluated for each block
    cluster.launch.blocks = {program.launch.cluster, 1, 1};
    ir::KernelInfo info = ir::describe(cluster, count.factors, count.transforms, count.parameters);
    info.launch = program.launch;
    const auto& blocks = program.launch.blocks;
    for (Integer* const total : {&info.flops, &info.bytes_loaded, &info.bytes_stored})
        *total *= blocks[0] / program.launch.cluster * blocks[1] * blocks[2];
    info.dynamic_shared_bytes = emit::ptx_interface(program, ptx_options(gpu, program)).dynamic_shared_bytes;
    return info;
}

ir::KernelInfo describe_for_gpu(const ir::Program& program, const PassSchedule& schedule, std::size_t kernel,
                                const target::Gpu& gpu) {
    const loops::LaunchConfiguration& configuration =
        schedule.configurations.at(std::min(kernel, schedule.configurations.size() - 1));
    const LaunchCount count{.factors = factors_of(schedule.tree, kernel),
                            .transforms = configuration.transforms};
    if (program.launch.cooperative_group == 1) return describe_by_cluster(program, gpu, count);
    ir::Program all = program;
    clear_ends(all);
    ir::KernelInfo info = ir::describe(all, count.factors, count.transforms);
    info.dynamic_shared_bytes = emit::ptx_interface(program, ptx_options(gpu, program)).dynamic_shared_bytes;
    return info;
}

std::span<const std::byte> TableImage::Table::bytes() const {
    if (!rounded.empty()) return rounded;
    return {static_cast<const std::byte*>(contents->data()), size};
}

std::size_t TableImage::add(const ir::BufferInfo& buffer) {
    Table table{.offset = size_, .size = bytes_of(buffer), .contents = buffer.contents};
    if (data_of(buffer) == nullptr) {
        table.rounded.resize(table.size);
        fill_table(table.rounded.data(), buffer);
    }
    const std::span<const std::byte> bytes = table.bytes();
    table.checksum = runtime::checksum_of(bytes);
    for (const Table& known : tables_)
        if (known.checksum == table.checksum && std::ranges::equal(known.bytes(), bytes)) return known.offset;
    size_ += aligned_bytes(table.size);
    tables_.push_back(std::move(table));
    return tables_.back().offset;
}

std::vector<std::byte> TableImage::bytes() const {
    std::vector<std::byte> result(size_);
    for (const Table& table : tables_)
        std::ranges::copy(table.bytes(), result.begin() + static_cast<std::ptrdiff_t>(table.offset));
    return result;
}

PassWorkspace::PassWorkspace(const std::vector<ir::Program>& programs) {
    std::map<std::string, std::size_t> sizes;
    for (const ir::Program& program : programs)
        for (const ir::BufferInfo& buffer : program.buffers)
            if (is_workspace(buffer)) {
                ensure(buffer.first >= 0, "workspace {} has negative indices", buffer.name);
                std::size_t& size = sizes[buffer.name];
                size = std::max(size, bytes_of(buffer));
            }
    for (const auto& [name, size] : sizes) {
        offsets_[name] = bytes_;
        bytes_ += aligned_bytes(size);
    }
}

LaunchedKernel::LaunchedKernel(const ir::Program& program, const DimensionPass& pass, const target::Gpu& gpu,
                               ir::KernelInfo info, const PassWorkspace& workspace,
                               std::size_t workspace_offset, TableImage& tables) {
    const emit::PtxInterface interface = emit::ptx_interface(program, ptx_options(gpu, program));
    kernel_ = LoadedKernel(interface.entry, std::move(info));
    for (const emit::PtxParameter& parameter : interface.parameters) {
        ensure(parameter.kind == emit::PtxParameter::Kind::buffer,
               "kernel {} of a plan has an integer parameter", program.name);
        const ir::BufferInfo& buffer = program.buffers[static_cast<std::size_t>(parameter.position)];
        parameters_.push_back(parameter_of(buffer, pass, workspace, workspace_offset, tables));
        std::size_t& alignment = alignments_[static_cast<std::size_t>(parameters_.back().source)];
        alignment = std::max<std::size_t>({alignment, static_cast<std::size_t>(buffer.alignment),
                                           static_cast<std::size_t>(bytes_of(buffer.element))});
    }
    ensure(parameters_.size() <= max_parameters, "kernel {} has {} parameters; at most {} are foreseen",
           program.name, parameters_.size(), max_parameters);
}

LaunchedKernel::Parameter LaunchedKernel::parameter_of(const ir::BufferInfo& buffer,
                                                       const DimensionPass& pass,
                                                       const PassWorkspace& workspace,
                                                       std::size_t workspace_offset,
                                                       TableImage& tables) const {
    if (buffer.space == ir::Space::table) return {Binding::Source::table, tables.add(buffer), 0};
    if (is_workspace(buffer))
        return {Binding::Source::workspace, workspace_offset + workspace.offset_of(buffer.name),
                buffer.zeroed ? bytes_of(buffer) : 0};
    return {source_of(buffer.role, pass), 0, 0};
}

void LaunchedKernel::launch(const GpuAddresses& addresses, const runtime::GpuStream& stream) const {
    std::array<runtime::cuda::Address, max_parameters> values;
    std::array<void*, max_parameters> pointers;
    for (std::size_t k = 0; k < parameters_.size(); ++k) {
        const Parameter& parameter = parameters_[k];
        values[k] = addresses[static_cast<std::size_t>(parameter.source)] + parameter.offset;
        pointers[k] = &values[k];
        if (parameter.zeroed > 0) runtime::fill_on_gpu(stream, values[k], 0, parameter.zeroed);
    }
    kernel_.launch(std::span(pointers).first(parameters_.size()), stream);
}

} // namespace swirl::planning
