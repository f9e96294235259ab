#include "plan/check/write_watch.hpp"

#include "base/error.hpp"
#include "runtime/cache_key.hpp"

namespace swirl::planning {

WriteWatch::WriteWatch(ProblemData& data, const Transform& problem, std::string plan)
    : data_(data), problem_(problem), plan_(std::move(plan)) {
    for (std::size_t k = 0; k < data_.buffers().size(); ++k)
        hashes_.push_back(
            data_.is_written(k) ? 0 : runtime::checksum_of(data_.buffers()[k].span_of<std::byte>()));
}

void WriteWatch::require_surroundings() const {
    for (std::size_t k = 0; k < hashes_.size(); ++k) {
        const GuardedBuffer& buffer = data_.buffers()[k];
        if (const auto at = buffer.written_in_redzones()) report_write(data_.arrays()[k], *at, plan_);
        if (!data_.is_written(k) && runtime::checksum_of(buffer.span_of<std::byte>()) != hashes_[k])
            throw InternalError("a new kernel changed its {}: {}", data_.arrays()[k].name, plan_);
    }
}

void WriteWatch::require_gaps() {
    data_.erase(Side::output);
    if (problem_.placement == Placement::in_place) data_.erase(Side::input);
    for (std::size_t k = 0; k < hashes_.size(); ++k)
        if (data_.is_written(k))
            if (const auto at = data_.buffers()[k].written_anywhere())
                report_write(data_.arrays()[k], *at, plan_);
}

void report_write(const ProblemArray& array, std::ptrdiff_t byte, const std::string& plan) {
    throw InternalError("a new kernel wrote where it must not: {}: {}, byte {} from index 0 on", plan,
                        array.name, byte - array.before);
}

void run_in_guarded_workspace(std::size_t bytes, const std::string& plan,
                              const std::function<void(void*)>& run) {
    if (bytes == 0) return run(nullptr);
    GuardedBuffer workspace(bytes);
    workspace.clear();
    run(workspace.data());
    require_intact_redzones(workspace.written_in_redzones(), bytes, plan);
}

void require_intact_redzones(const std::optional<std::ptrdiff_t>& touched, std::size_t bytes,
                             const std::string& plan) {
    if (touched)
        throw InternalError("a new kernel wrote where it must not: {}: workspace, byte {} of {}", plan,
                            *touched, bytes);
}

} // namespace swirl::planning
