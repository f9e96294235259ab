#include "peers/shared_library.hpp"

#include <fmt/ranges.h>

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SWIRL_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SWIRL_SANITIZER 1
#endif
#endif

namespace swirl::peers {
namespace {

int flags_for(SharedLibrary::Symbols symbols) {
    constexpr int flags = RTLD_NOW | RTLD_LOCAL;
#if defined(RTLD_DEEPBIND) && !defined(SWIRL_SANITIZER) // which would end the program
    if (symbols == SharedLibrary::Symbols::own) return flags | RTLD_DEEPBIND;
#endif
    static_cast<void>(symbols);
    return flags;
}

} // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& files, Symbols symbols) {
    for (const std::string& file : files) {
        handle_ = dlopen(file.c_str(), flags_for(symbols));
        if (handle_ != nullptr) return;
        // A library that is there and cannot be opened is worth its reason.
        if (const char* const reason = dlerror(); reason != nullptr && std::filesystem::exists(file))
            absent_because_ = reason;
    }
    if (absent_because_.empty()) absent_because_ = fmt::format("{} was not found", fmt::join(files, " or "));
}

void* SharedLibrary::find(const std::string& name) const {
    return handle_ == nullptr ? nullptr : dlsym(handle_, name.c_str());
}

std::vector<std::string> files_beside_program(const char* variable, const std::vector<std::string>& names) {
    if (const char* const own = std::getenv(variable); own != nullptr && *own != '\0') return {own};
    std::error_code ignored;
    const auto folder = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
    std::vector<std::string> files;
    for (const std::string& name : names) files.push_back((folder / name).lexically_normal().string());
    return files;
}

std::string loaded_library(const std::vector<std::string>& beginnings) {
    std::vector<std::string> names;
    const auto note = [](dl_phdr_info* info, std::size_t, void* list) {
        static_cast<std::vector<std::string>*>(list)->push_back(
            std::filesystem::path(info->dlpi_name).filename());
        return 0;
    };
    dl_iterate_phdr(note, &names);
    for (const std::string& beginning : beginnings)
        for (const std::string& name : names)
            if (name.rfind(beginning, 0) == 0) return name;
    return {};
}

} // namespace swirl::peers
