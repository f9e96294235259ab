#include "plan/shared_tables.hpp"

#include "runtime/cache_key.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace swirl::planning {
namespace {

constexpr std::align_val_t table_alignment{64};

} // namespace

SharedTables& SharedTables::of_process() {
    static constinit LazyValue<SharedTables> tables;
    return tables.get([] { return SharedTables(); });
}

TableBytes SharedTables::shared(std::span<const std::byte> content, const std::function<TableBytes()>& make) {
    const std::uint64_t checksum = runtime::checksum_of(content);
    const std::lock_guard lock(mutex_);
    const auto [begin, end] = known_.equal_range(checksum);
    for (auto at = begin; at != end; ++at) {
        if (at->second.size != content.size()) continue;
        TableBytes known = at->second.bytes.lock();
        if (known && std::memcmp(known.get(), content.data(), content.size()) == 0) return known;
    }
    if (known_.size() >= most_known_) {
        std::erase_if(known_, [](const auto& entry) { return entry.second.bytes.expired(); });
        most_known_ = std::max(most_known_, 2 * known_.size());
    }
    TableBytes made = make();
    known_.emplace(checksum, Known{made, content.size()});
    return made;
}

TableBytes copied_table(std::span<const std::byte> content) {
    auto* const memory = static_cast<std::byte*>(::operator new(content.size(), table_alignment));
    std::memcpy(memory, content.data(), content.size());
    return {memory, [](std::byte* bytes) { ::operator delete(bytes, table_alignment); }};
}

} // namespace swirl::planning
