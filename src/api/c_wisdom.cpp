#include <swirl/wisdom.hpp>

#include "api/c.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace swirl::api {
namespace {

template <class Stream> Stream opened(const char* path, const char* to_do) {
    require(path, "path");
    Stream file(path, std::ios::binary);
    if (!file) throw SystemError("cannot {} {}: {}", to_do, path, std::strerror(errno));
    return file;
}

/// Calls `write(file)` for a new file of this path.
template <class Write> void write_file(const char* path, const Write& write) {
    auto file = opened<std::ofstream>(path, "write");
    write(file);
    file.close();
    if (!file) throw SystemError("cannot write {}: {}", path, std::strerror(errno));
}

} // namespace
} // namespace swirl::api

using namespace swirl::api;

extern "C" {

swirl_status swirl_wisdom_path(char* text, size_t size, size_t* length) {
    return guarded([&] { copy_text(swirl::wisdom::path(), text, size, length); });
}

swirl_status swirl_wisdom_export(const char* path) {
    return guarded([&] { write_file(path, [](std::ostream& out) { swirl::wisdom::export_to(out); }); });
}

swirl_status swirl_wisdom_import(const char* path) {
    return guarded([&] {
        auto file = opened<std::ifstream>(path, "read");
        const swirl::wisdom::Imported imported = swirl::wisdom::import_from(file);
        if (imported.unreadable > 0)
            throw swirl::UserError("{} lines of {} are not wisdom; the other {} were imported",
                                   imported.unreadable, path, imported.stored + imported.unchanged);
    });
}

swirl_status swirl_wisdom_forget(const swirl_problem* problem) {
    return guarded([&] {
        if (problem == nullptr)
            swirl::wisdom::forget_all();
        else
            swirl::wisdom::forget(problem_of(*problem));
    });
}

swirl_status swirl_kernel_cache_path(char* text, size_t size, size_t* length) {
    return guarded([&] { copy_text(swirl::kernel_cache::path(), text, size, length); });
}

swirl_status swirl_kernel_cache_export(const char* path) {
    return guarded([&] { write_file(path, [](std::ostream& out) { swirl::kernel_cache::export_to(out); }); });
}

swirl_status swirl_kernel_cache_import(const char* path) {
    return guarded([&] {
        auto file = opened<std::ifstream>(path, "read");
        swirl::kernel_cache::import_from(file);
    });
}

swirl_status swirl_kernel_cache_forget(void) {
    return guarded([] { swirl::kernel_cache::forget_all(); });
}

} // extern "C"
