#include "search/wisdom/shared_wisdom.hpp"

#include "base/fork_gate.hpp"
#include "base/log.hpp"

#include <map>

namespace swirl::search {
namespace {

struct Shared {
    ForkSafeMutex mutex;
    std::map<std::filesystem::path, Wisdom> opened;
    Wisdom::Warn warn;
};

Shared& shared() {
    static constinit LazyValue<Shared> all;
    return all.get([] { return Shared(); });
}

} // namespace

Wisdom* shared_wisdom(bool to_write) {
    constexpr const char* in_memory = ":memory:";
    const std::filesystem::path file = Wisdom::default_file();
    std::error_code unknown; // opening the file reports what is wrong with the path
    if (!to_write && file != in_memory && !std::filesystem::exists(file, unknown) && !unknown) return nullptr;
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    return &all.opened.try_emplace(file, file, all.warn ? all.warn : Wisdom::Warn(log_warning)).first->second;
}

void warn_of_shared_wisdom_by(Wisdom::Warn warn) {
    Shared& all = shared();
    const std::lock_guard lock(all.mutex);
    all.warn = std::move(warn);
}

} // namespace swirl::search
