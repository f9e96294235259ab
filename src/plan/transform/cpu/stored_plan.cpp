#include "plan/transform/cpu/stored_plan.hpp"

#include "base/build_id.hpp"
#include "base/byte_stream.hpp"
#include "base/version.hpp"
#include "problem/syntax.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace swirl::planning {

StoredPlan::StoredPlan(const Transform& problem, const Schedule& schedule, const target::Cpu& cpu,
                       const PlanOptions& options) {
    const bool is_machine_code = cpu.set != target::InstructionSet::portable && !cpu.emitted_only;
    if (options.cache == nullptr || !is_machine_code || build_id().empty()) return;
    cache_ = options.cache;
    const std::string text = to_text(problem), how = to_string(schedule);
    const std::string sharing =
        fmt::format("{} threads, {}", options.threads, fmt::join(options.sharing.in_order(), " "));
    const std::string_view fields[] = {"cpu plan", version(), build_id(), cpu.name, text, how, sharing};
    key_ = runtime::CacheKey::of(fields);
    label_ = {std::string(cpu.name), "plan of " + text};
}

Kernels StoredPlan::read() const {
    if (cache_ == nullptr) return {};
    const auto found = cache_->read(key_);
    if (!found) return {};
    ByteReader reader(found->code);
    Kernels kernels;
    reader.read_list(kernels, [&] { return CompiledKernel::read(reader); });
    bool is_valid = reader.is_whole();
    for (const auto& kernel : kernels) is_valid = is_valid && kernel != nullptr;
    if (is_valid) return kernels;
    drop();
    return {};
}

void StoredPlan::write(const Kernels& kernels) const {
    if (cache_ == nullptr) return;
    std::size_t bytes = 0;
    for (const auto& kernel : kernels) bytes += kernel->stored_bytes();
    if (bytes > cache_->limit() / least_plans) return;
    ByteWriter writer;
    writer.write_list(kernels, [&](const std::unique_ptr<Kernel>& kernel) { kernel->write(writer); });
    cache_->store(key_, label_, writer.bytes());
}

void StoredPlan::drop() const {
    if (cache_ != nullptr) cache_->drop(key_);
}

} // namespace swirl::planning
