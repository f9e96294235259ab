#include "plan/check/write_watch.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"

#include <cstring>

namespace swirl::planning {

namespace {

std::size_t hash_of_bytes(std::span<const std::byte> bytes) {
    std::size_t hash = bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
        hash = mix_hash(hash, word);
    }
    return hash;
}

} // namespace

WriteWatch::WriteWatch(ProblemData& data, const Transform& problem, std::string plan)
    : data_(data), problem_(problem), plan_(std::move(plan)) {
    for (std::size_t k = 0; k < data_.buffers().size(); ++k)
        hashes_.push_back(data_.is_written(k) ? 0 : hash_of_bytes(data_.buffers()[k].span_of<std::byte>()));
}

void WriteWatch::require_surroundings() const {
    for (std::size_t k = 0; k < hashes_.size(); ++k) {
        const GuardedBuffer& buffer = data_.buffers()[k];
        if (const auto at = buffer.written_in_redzones()) report_write(data_.arrays()[k], *at, plan_);
        if (!data_.is_written(k) && hash_of_bytes(buffer.span_of<std::byte>()) != hashes_[k])
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
