#include "search/shared_wisdom.hpp"

#include <map>
#include <mutex>

namespace swirl::search {

Wisdom* shared_wisdom(bool to_write) {
    constexpr const char* in_memory = ":memory:";
    static std::mutex mutex;
    static std::map<std::filesystem::path, Wisdom> opened;
    const std::filesystem::path file = Wisdom::default_file();
    std::error_code unknown; // what is wrong with the path is said where it is opened
    if (!to_write && file != in_memory && !std::filesystem::exists(file, unknown) && !unknown) return nullptr;
    const std::lock_guard lock(mutex);
    return &opened.try_emplace(file, file).first->second;
}

} // namespace swirl::search
