#include "emit/gpu_c/file.hpp"

#include "base/error.hpp"
#include "emit/gpu_c/launch.hpp"
#include "emit/ptx/ptx.hpp"
#include "ir/analysis.hpp"

#include <algorithm>
#include <set>

namespace swirl::emit {
namespace {

/// Alignment of workspace regions in bytes; no device requires more of a sub-buffer's origin.
constexpr Integer workspace_unit = 1024;

Integer in_units(Integer bytes) { return ceil_divide(bytes, workspace_unit) * workspace_unit; }

/// Whether one launch receives the same memory twice.
bool repeats_a_memory(const GpuTransform::KernelLaunch& launch) {
    return std::set<std::size_t>(launch.memories.begin(), launch.memories.end()).size() !=
           launch.memories.size();
}

bool has_tiles(const ir::Program& program) {
    return std::any_of(program.operations.begin(), program.operations.end(),
                       [](const ir::Operation& operation) {
                           return ir::is_async_tile_operation(operation.opcode);
                       }) ||
           needs_special_target(program);
}

} // namespace

void MemoryExtent::include(const ir::BufferInfo& buffer) {
    first = std::min(first, buffer.first);
    end = std::max(end, buffer.first + buffer.elements);
    alignment = std::max<Integer>({alignment, buffer.alignment, bytes_of(buffer.element)});
}

WorkspaceLayout::WorkspaceLayout(const GpuTransform& transform) {
    const auto append = [&](Region& region) {
        region.offset = bytes;
        bytes += in_units(region.bytes());
    };
    for (std::size_t m = 0; m < transform.memories.size(); ++m) {
        const GpuTransform::Memory& memory = transform.memories[m];
        if (!memory.workspace) continue;
        memories[m] = {{0, memory.elements}, bytes_of(memory.element)};
        append(memories[m]);
    }
    for (const GpuTransform::KernelLaunch& launch : transform.launches)
        for (const ir::BufferInfo& buffer : launch.program->buffers) {
            if (buffer.space != ir::Space::scratch) continue;
            Region& region = scratch[buffer.name];
            region.extent.include(buffer);
            region.element_bytes = bytes_of(buffer.element);
        }
    for (auto& [name, region] : scratch) append(region);
}

Integer gpu_workspace_bytes(const GpuTransform& transform) { return WorkspaceLayout(transform).bytes; }

GpuFile::GpuFile(const GpuTransform& transform, const GpuSourceOptions& options)
    : transform_(transform),
      options_(options),
      dialect_(dialect_of(options.language)),
      extents_(transform.memories.size()),
      workspace_(transform) {
    reserve_gpu_keywords(names_, dialect_);
    function_ = names_.unique(transform.name);
    for (const char* suffix : {"_create", "_enqueue", "_release", "_source", "_run", "_workspace_bytes"})
        names_.reserve(function_ + suffix);
    Identifiers inside = names_;
    for (const GpuTransform::Memory& memory : transform.memories)
        memory_names_.push_back(inside.unique(memory.name));
    for (const GpuTransform::KernelLaunch& launch : transform.launches) add_launch(launch);
    set_origins();
}

std::size_t GpuFile::kernel_of(const ir::Program& program) {
    for (std::size_t k = 0; k < kernels_.size(); ++k)
        if (kernels_[k].program == &program) return k;
    expect_gpu_launch(program);
    if (has_tiles(program))
        throw UserError(
            "kernel '{}' uses wgmma on tiles that TMA loads, for which emitted {} "
            "has no "
            "words; take a schedule without tiles",
            program.name, dialect_.name);
    if (program.launch.cluster != 1 && !has_clusters(options_.language))
        throw UserError(
            "kernel '{}' runs in clusters of {} blocks, which emitted {} does not have; take a schedule "
            "without clusters",
            program.name, program.launch.cluster, dialect_.name);
    if (program.launch.cooperative_group != 1 && !has_cooperative_groups(options_.language))
        throw UserError(
            "blocks of kernel '{}' wait for each other in groups of {}, which emitted {} does not have; take "
            "a "
            "schedule without groups",
            program.name, program.launch.cooperative_group, dialect_.name);
    GpuKernel& kernel = kernels_.emplace_back();
    kernel.program = &program;
    kernel.name = names_.unique(fmt::format("{}_kernel_{}", function_, kernels_.size()));
    kernel.usage = usage_of(program);
    kernel.arguments_overlap = options_.arguments_overlap;
    kernel.allocate_shared(dialect_);
    name_tables(kernel);
    return kernels_.size() - 1;
}

void GpuFile::name_tables(GpuKernel& kernel) {
    kernel.tables.resize(kernel.program->buffers.size());
    for (std::size_t b = 0; b < kernel.tables.size(); ++b) {
        const ir::BufferInfo& buffer = kernel.buffer(b);
        const Integer bytes = buffer.elements * bytes_of(buffer.element);
        const bool is_constant = dialect_.largest_table == 0 || bytes <= dialect_.largest_table;
        if (buffer.space == ir::Space::table && kernel.usage.buffers[b] && is_constant)
            kernel.tables[b] = tables_.name_of(buffer, names_, function_ + "_");
    }
}

void GpuFile::add_launch(const GpuTransform::KernelLaunch& launch) {
    KernelLaunch result{
        .kernel = kernel_of(*launch.program), .actuals = {}, .flags = {}, .condition = launch.condition};
    if (launch.condition) check(*launch.condition, *launch.program);
    GpuKernel& kernel = kernels_[result.kernel];
    result.flags = flags_of(kernel, launch);
    kernel.arguments_overlap = kernel.arguments_overlap || repeats_a_memory(launch);
    std::vector<Actual> locations(launch.program->buffers.size());
    std::size_t argument = 0;
    for (std::size_t b = 0; b < locations.size(); ++b) {
        const ir::BufferInfo& buffer = launch.program->buffers[b];
        locations[b].buffer = b;
        if (buffer.space == ir::Space::argument) {
            ensure(
                argument < launch.memories.size() && launch.memories[argument] < transform_.memories.size(),
                "kernel '{}' has more arguments than its launch names", launch.program->name);
            locations[b].memory = launch.memories[argument++];
            const GpuTransform::Memory& memory = transform_.memories[*locations[b].memory];
            if (kernel.usage.buffers[b]) extents_[*locations[b].memory].include(buffer);
            ensure(memory.element == buffer.element && memory.by_value == buffer.by_value &&
                       (memory.written || memory.workspace || !buffer.written),
                   "'{}' cannot be '{}' of kernel '{}'", memory.name, buffer.name, launch.program->name);
        } else if (buffer.space == ir::Space::scratch) {
            locations[b].scratch = buffer.name;
        }
    }
    ensure(argument == launch.memories.size(), "kernel '{}' has fewer arguments than its launch names",
           launch.program->name);
    for (const std::size_t b : kernel.passed()) {
        if (const ir::BufferInfo& buffer = kernel.buffer(b); buffer.space == ir::Space::table) {
            const std::string& name = tables_.name_of(buffer, names_, function_ + "_");
            const auto at = std::find_if(passed_tables_.begin(), passed_tables_.end(),
                                         [&](const PassedTable& table) { return table.name == name; });
            locations[b].table = static_cast<std::size_t>(at - passed_tables_.begin());
            if (at == passed_tables_.end()) passed_tables_.push_back({name, &buffer});
        }
        result.actuals.push_back(locations[b]);
    }
    launches_.push_back(std::move(result));
}

void GpuFile::check(const GpuTransform::Flag& flag, const ir::Program& program) const {
    ensure(flag.memory < transform_.memories.size() && transform_.memories[flag.memory].by_value,
           "a parameter or condition of kernel '{}' is not an integer passed by value", program.name);
}

std::vector<GpuTransform::Flag> GpuFile::flags_of(const GpuKernel& kernel,
                                                  const GpuTransform::KernelLaunch& launch) const {
    std::vector<GpuTransform::Flag> result;
    for (const std::size_t variable : kernel.parameters()) {
        const auto position = static_cast<std::size_t>(kernel.program->variables[variable].axis);
        ensure(position < launch.flags.size(), "kernel '{}' takes more integers than its launch names",
               kernel.program->name);
        const GpuTransform::Flag& flag = launch.flags[position];
        check(flag, *kernel.program);
        result.push_back(flag);
    }
    return result;
}

void GpuFile::set_origins() {
    for (const KernelLaunch& launch : launches_) {
        GpuKernel& kernel = kernels_[launch.kernel];
        kernel.origins.resize(kernel.program->buffers.size());
        for (const Actual& actual : launch.actuals) {
            Integer origin = 0;
            if (actual.table)
                origin = kernel.buffer(actual.buffer).first;
            else if (!dialect_.pointers_at_zero)
                origin = actual.memory ? extents_[*actual.memory].first
                                       : workspace_.scratch.at(*actual.scratch).extent.first;
            std::optional<Integer>& known = kernel.origins[actual.buffer];
            ensure(!known || *known == origin,
                   "kernel '{}' works on memories that begin at different indices", kernel.program->name);
            known = origin;
        }
    }
}

bool GpuFile::uses(std::size_t memory) const {
    return std::any_of(launches_.begin(), launches_.end(), [&](const KernelLaunch& launch) {
        return std::any_of(launch.actuals.begin(), launch.actuals.end(),
                           [&](const Actual& actual) { return actual.memory == memory; });
    });
}

void GpuFile::write_tables(SourceWriter& out, const GpuKernel& kernel) {
    for (std::size_t b = 0; b < kernel.tables.size(); ++b) {
        if (kernel.tables[b].empty() || !tables_.is_first_use(kernel.tables[b])) continue;
        const ir::BufferInfo& buffer = kernel.buffer(b);
        out.line();
        write_c_table(out, buffer,
                      fmt::format("{}{}{}", fmt::format(fmt::runtime(dialect_.aligned), widest_access),
                                  dialect_.constant_array, gpu_memory_type(dialect_, buffer.element)),
                      kernel.tables[b], [&](long double value, DataType scalar) {
                          return gpu_table_entry(dialect_, value, scalar);
                      });
    }
}

void GpuFile::write_kernels(SourceWriter& out) {
    GpuHelpers helpers;
    for (const GpuKernel& kernel : kernels_) helpers.include(kernel);
    write_helpers(out, dialect_, helpers);
    for (const GpuKernel& kernel : kernels_) {
        write_tables(out, kernel);
        out.line();
        const ir::Launch& launch = kernel.program->launch;
        out.comment(fmt::format("{} x {} x {} blocks of {} x {} x {} threads", launch.blocks[0],
                                launch.blocks[1], launch.blocks[2], launch.threads[0], launch.threads[1],
                                launch.threads[2]));
        GpuKernelWriter(out, dialect_, kernel, names_).write_kernel();
    }
}

void GpuFile::write_unused(SourceWriter& out) const {
    for (std::size_t m = 0; m < memory_names_.size(); ++m)
        if (!transform_.memories[m].workspace && !uses(m)) out.line("(void){};", memory_names_[m]);
}

void GpuFile::describe_arguments(SourceWriter& out) const {
    for (std::size_t m = 0; m < memory_names_.size(); ++m) {
        if (transform_.memories[m].workspace) continue;
        const MemoryExtent& extent = extents_[m];
        if (transform_.memories[m].by_value) {
            out.comment(fmt::format("  {}: {} {}…{}, in memory of the host", memory_names_[m],
                                    gpu_memory_type(dialect_, transform_.memories[m].element), extent.first,
                                    extent.end - 1));
            continue;
        }
        out.comment(fmt::format(
            "  {}: {} {}…{}{}, aligned to {} bytes", memory_names_[m],
            gpu_memory_type(dialect_, transform_.memories[m].element), extent.first, extent.end - 1,
            dialect_.pointers_at_zero || extent.first == 0 ? "" : ", the first at the beginning",
            extent.alignment));
    }
    if (const Integer bytes = gpu_workspace_bytes(transform_); bytes > 0)
        out.comment(
            fmt::format("  workspace: {} bytes, contents irrelevant, aligned as allocations are", bytes));
}

} // namespace swirl::emit
