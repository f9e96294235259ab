#include "plan/transform/gpu/stored_plan.hpp"

#include "base/build_id.hpp"
#include "base/version.hpp"
#include "plan/stored_kernel_info.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

namespace swirl::planning {

// Structured bindings name all members, so that adding a member without storing it does not compile.

void LaunchedKernel::write(ByteWriter& writer) const {
    writer.write(kernel_.entry());
    writer.write_list(parameters_, [&](const Parameter& parameter) {
        const auto& [source, offset, zeroed] = parameter;
        writer.write_all(source, offset, zeroed);
    });
    for (const std::size_t alignment : alignments_) writer.write(alignment);
    writer.write(kernel_.starts_early());
    planning::write(writer, kernel_.info());
}

LaunchedKernel LaunchedKernel::read(ByteReader& reader) {
    LaunchedKernel kernel;
    std::string entry;
    reader.read(entry);
    reader.read_list(kernel.parameters_, [&] {
        Parameter parameter{};
        auto& [source, offset, zeroed] = parameter;
        reader.read_all(source, offset, zeroed);
        return parameter;
    });
    for (std::size_t& alignment : kernel.alignments_) reader.read(alignment);
    bool starts_early = false;
    reader.read(starts_early);
    kernel.kernel_ = LoadedKernel(std::move(entry), read_kernel_info(reader));
    if (starts_early) kernel.start_early();
    return kernel;
}

runtime::Bytes StoredGpuPlan::encode() const {
    ByteWriter writer;
    writer.write_list(kernels, [&](const LaunchedKernel& kernel) { kernel.write(writer); });
    writer.write_list(code, [&](const runtime::CacheKey& key) { writer.write_all(key.high, key.low); });
    writer.write(tables);
    writer.write_all(workspace_bytes, checked);
    return writer.bytes();
}

std::optional<StoredGpuPlan> StoredGpuPlan::decode(std::span<const std::byte> bytes) {
    ByteReader reader(bytes);
    StoredGpuPlan plan;
    reader.read_list(plan.kernels, [&] { return LaunchedKernel::read(reader); });
    reader.read_list(plan.code, [&] {
        runtime::CacheKey key;
        reader.read_all(key.high, key.low);
        return key;
    });
    plan.tables = reader.read_bytes();
    reader.read_all(plan.workspace_bytes, plan.checked);
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
