#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"
#include "runtime/kernel_pack.hpp"

#include <fmt/chrono.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <system_error>

namespace swirl::cli {
namespace {

using runtime::KernelCache;

struct CacheOptions {
    std::string file;
    bool json = false;
    bool remove = false;
};

KernelCache& cache() {
    KernelCache* const found = KernelCache::of_user();
    if (found == nullptr)
        throw UserError(
            "the kernel cache is switched off, or there is no home to keep it in; let SWIRL_KERNEL_CACHE "
            "name a folder and SWIRL_KERNEL_CACHE_MIB a size above 0");
    return *found;
}

std::time_t seconds_since_1970(std::filesystem::file_time_type time) {
    return std::chrono::system_clock::to_time_t(
        std::chrono::time_point_cast<std::chrono::system_clock::duration>(
            std::chrono::file_clock::to_sys(time)));
}

[[noreturn]] void complain(const std::string& message) {
    std::cerr << "swirl: " << message << "\n";
    throw ExitStatus{exit_failure};
}

void list_json(const std::vector<KernelCache::Stored>& entries) {
    Json json{{"folder", cache().folder().string()}, {"limit", cache().limit()}, {"kernels", Json::array()}};
    for (const auto& entry : entries)
        json["kernels"].push_back({{"key", entry.key.text()},
                                   {"kernel", entry.label.name},
                                   {"target", entry.label.target},
                                   {"bytes", entry.bytes},
                                   {"last_use", seconds_since_1970(entry.used)},
                                   {"damage", entry.damage}});
    print_json(json);
}

void list(const CacheOptions& options) {
    const auto entries = cache().entries();
    if (options.json) return list_json(entries);
    Table table({"key", "bytes", "target", "last use", "what"});
    std::uint64_t bytes = 0;
    for (const auto& entry : entries) {
        bytes += entry.bytes;
        table.add({entry.key.text(), fmt::format("{}", entry.bytes), entry.label.target,
                   fmt::format("{:%Y-%m-%d %H:%M}", fmt::gmtime(seconds_since_1970(entry.used))),
                   entry.damage.empty() ? entry.label.name : "(damaged)"});
    }
    print((entries.empty() ? "" : table.text()) +
          fmt::format("{} entries, {} of {} at most, in {}\n", entries.size(),
                      format_bytes(static_cast<double>(bytes)),
                      format_bytes(static_cast<double>(cache().limit())), cache().folder().string()));
}

void verify(const CacheOptions& options) {
    std::size_t whole = 0, damaged = 0, left = 0;
    for (const auto& entry : cache().entries()) {
        if (entry.damage.empty()) {
            ++whole;
            continue;
        }
        ++damaged;
        const bool is_gone = options.remove && cache().drop(entry.key);
        left += is_gone ? 0 : 1;
        print(fmt::format("{}: {}{}\n", entry.file.string(), entry.damage, is_gone ? "; removed" : ""));
    }
    print(fmt::format("{} entries are whole, {} are damaged\n", whole, damaged));
    if (left > 0) {
        if (options.remove) complain(fmt::format("{} of them cannot be removed", left));
        throw ExitStatus{exit_failure};
    }
}

void clear() {
    const auto [removed, left] = cache().clear();
    print(fmt::format("{} entries removed\n", removed));
    if (left > 0) complain(fmt::format("{} more cannot be removed", left));
}

void export_pack(const CacheOptions& options) {
    const runtime::KernelPack pack = runtime::pack(cache());
    write_file(options.file, pack.bytes);
    print(fmt::format("{} entries exported\n", pack.kernels));
}

std::string content_of(const std::string& name) {
    std::ifstream file(name, std::ios::binary);
    std::ostringstream content;
    if (!file || (file.peek() != std::ifstream::traits_type::eof() && !(content << file.rdbuf())))
        throw std::system_error(errno, std::generic_category(), "cannot read " + name);
    return content.str();
}

void import_pack(const CacheOptions& options) {
    const auto kernels = runtime::unpack(content_of(options.file), options.file);
    std::size_t stored = 0;
    for (const auto& kernel : kernels) stored += cache().store(kernel.key, kernel.label, kernel.code) ? 1 : 0;
    print(fmt::format("{} entries imported\n", stored));
    if (stored < kernels.size())
        complain(fmt::format("{} entries cannot be kept in {}", kernels.size() - stored,
                             cache().folder().string()));
}

} // namespace

void add_cache(CLI::App& program) {
    auto options = std::make_shared<CacheOptions>();
    CLI::App& command = *program.add_subcommand(
        "cache", "List, verify, clear, export or import compiled kernels of GPUs, plans and schedules");
    command.require_subcommand(1);
    command.footer(
        "For example:\n"
        "  swirl cache list\n"
        "  swirl cache export kernels.pack, and on a machine with the same processor: swirl cache import "
        "kernels.pack");

    CLI::App& listing = *command.add_subcommand(
        "list", "Show all entries, the one used last first: kernels by problem, plans, schedules");
    listing.add_flag("--json", options->json, "Print JSON");
    listing.footer("For example:\n  swirl cache list\n  swirl cache list --json");
    listing.callback([options] { list(*options); });

    CLI::App& verifying = *command.add_subcommand("verify", "Check every entry's file to its last byte");
    verifying.add_flag("--remove", options->remove, "Remove those that are damaged");
    verifying.footer("For example:\n  swirl cache verify\n  swirl cache verify --remove");
    verifying.callback([options] { verify(*options); });

    CLI::App& clearing = *command.add_subcommand("clear", "Remove all entries");
    clearing.footer("For example:\n  swirl cache clear");
    clearing.callback([] { clear(); });

    CLI::App& exporting = *command.add_subcommand("export", "Write all entries into one file");
    exporting.add_option("FILE", options->file, "Where to")->type_name("")->required();
    exporting.footer("For example:\n  swirl cache export kernels.pack");
    exporting.callback([options] { export_pack(*options); });

    CLI::App& importing = *command.add_subcommand(
        "import", "Add the entries of such a file. They are machine code: import what you trust");
    importing.add_option("FILE", options->file, "Where from")->type_name("")->required();
    importing.footer("For example:\n  swirl cache import kernels.pack");
    importing.callback([options] { import_pack(*options); });

    CLI::App& path = *command.add_subcommand("path", "Print the folder of the cache");
    path.footer("For example:\n  du -sh \"$(swirl cache path)\"");
    path.callback([] { print(cache().folder().string() + "\n"); });
}

} // namespace swirl::cli
