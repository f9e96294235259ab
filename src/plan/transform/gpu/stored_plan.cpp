#include "plan/transform/gpu/stored_plan.hpp"

#include "base/build_id.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

namespace swirl::planning {

// Structured bindings name all members, so that adding a member without storing it does not compile.

namespace {

template <class... Values> void write_all(ByteWriter& writer, const Values&... values) {
    (writer.write(values), ...);
}
template <class... Values> void read_all(ByteReader& reader, Values&... values) {
    (reader.read(values), ...);
}

void write(ByteWriter& writer, const ir::Launch& launch) {
    const auto& [blocks, threads, cluster, resident, group] = launch;
    for (const auto& extent : {blocks, threads}) write_all(writer, extent[0], extent[1], extent[2]);
    write_all(writer, cluster, resident, group);
}

ir::Launch read_launch(ByteReader& reader) {
    ir::Launch launch;
    auto& [blocks, threads, cluster, resident, group] = launch;
    for (auto* const extent : {&blocks, &threads}) read_all(reader, (*extent)[0], (*extent)[1], (*extent)[2]);
    read_all(reader, cluster, resident, group);
    return launch;
}

void write(ByteWriter& writer, const ir::KernelBuffer& buffer) {
    const auto& [name, space, element, elements, first, bytes, alignment, written] = buffer;
    write_all(writer, name, space, element, elements, first, bytes, alignment, written);
}

ir::KernelBuffer read_buffer(ByteReader& reader) {
    ir::KernelBuffer buffer;
    auto& [name, space, element, elements, first, bytes, alignment, written] = buffer;
    read_all(reader, name, space, element, elements, first, bytes, alignment, written);
    return buffer;
}

} // namespace

void write(ByteWriter& writer, const ir::KernelInfo& info) {
    const auto& [name, factors, transforms, launch, buffers, parameters, workspace, table, local, shared,
                 dynamic, registers, spilled, resident, flops, loaded, stored] = info;
    writer.write(name);
    writer.write_list(factors, [&](Integer factor) { writer.write(factor); });
    write(writer, launch);
    writer.write_list(buffers, [&](const ir::KernelBuffer& buffer) { write(writer, buffer); });
    writer.write_list(parameters, [&](const std::string& parameter) { writer.write(parameter); });
    write_all(writer, transforms, workspace, table, local, shared, dynamic, registers, spilled, resident,
              flops, loaded, stored);
}

ir::KernelInfo read_kernel_info(ByteReader& reader) {
    ir::KernelInfo info;
    auto& [name, factors, transforms, launch, buffers, parameters, workspace, table, local, shared, dynamic,
           registers, spilled, resident, flops, loaded, stored] = info;
    reader.read(name);
    reader.read_list(factors, [&] { return reader.read<Integer>(); });
    launch = read_launch(reader);
    reader.read_list(buffers, [&] { return read_buffer(reader); });
    reader.read_list(parameters, [&] {
        std::string parameter;
        reader.read(parameter);
        return parameter;
    });
    read_all(reader, transforms, workspace, table, local, shared, dynamic, registers, spilled, resident,
             flops, loaded, stored);
    return info;
}

void LaunchedKernel::write(ByteWriter& writer) const {
    writer.write(kernel_.entry());
    writer.write_list(parameters_, [&](const Parameter& parameter) {
        const auto& [source, offset, zeroed] = parameter;
        write_all(writer, source, offset, zeroed);
    });
    for (const std::size_t alignment : alignments_) writer.write(alignment);
    planning::write(writer, kernel_.info());
}

LaunchedKernel LaunchedKernel::read(ByteReader& reader) {
    LaunchedKernel kernel;
    std::string entry;
    reader.read(entry);
    reader.read_list(kernel.parameters_, [&] {
        Parameter parameter{};
        auto& [source, offset, zeroed] = parameter;
        read_all(reader, source, offset, zeroed);
        return parameter;
    });
    for (std::size_t& alignment : kernel.alignments_) reader.read(alignment);
    kernel.kernel_ = LoadedKernel(std::move(entry), read_kernel_info(reader));
    return kernel;
}

runtime::Bytes StoredGpuPlan::encode() const {
    ByteWriter writer;
    writer.write_list(kernels, [&](const LaunchedKernel& kernel) { kernel.write(writer); });
    writer.write_list(code, [&](const runtime::CacheKey& key) { write_all(writer, key.high, key.low); });
    writer.write(tables);
    write_all(writer, workspace_bytes, checked);
    return writer.bytes();
}

std::optional<StoredGpuPlan> StoredGpuPlan::decode(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    StoredGpuPlan plan;
    reader.read_list(plan.kernels, [&] { return LaunchedKernel::read(reader); });
    reader.read_list(plan.code, [&] {
        runtime::CacheKey key;
        read_all(reader, key.high, key.low);
        return key;
    });
    plan.tables = reader.read_bytes();
    read_all(reader, plan.workspace_bytes, plan.checked);
    if (!reader.is_whole() || plan.code.size() != plan.kernels.size()) return std::nullopt;
    return plan;
}

std::optional<runtime::CacheKey> stored_plan_key(const Transform& problem, const Schedule& schedule,
                                                 const runtime::GpuDevice& device, const target::Gpu& gpu) {
    if (build_id().empty()) return std::nullopt;
    const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}", version(), build_id(), gpu.name,
                                         to_text(problem), to_string(schedule));
    return runtime::cache_key(device, "plan", text);
}

} // namespace swirl::planning
