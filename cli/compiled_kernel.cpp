#include "cli/compiled_kernel.hpp"

#include "base/error.hpp"
#include "cli/gpu.hpp"
#include "cli/table.hpp"
#include "runtime/cuda/compile.hpp"
#include "runtime/cuda/devices.hpp"
#include "sass/main_loop.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

namespace swirl::cli {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> find_assembler() {
    std::vector<fs::path> folders;
    if (const char* path = std::getenv("PATH")) {
        std::istringstream list(path);
        for (std::string folder; std::getline(list, folder, ':');) folders.emplace_back(folder);
    }
    if (const char* home = std::getenv("CUDA_HOME")) folders.push_back(fs::path(home) / "bin");
    std::error_code none;
    for (const auto& entry : fs::directory_iterator("/usr/local", none))
        if (entry.path().filename().string().starts_with("cuda")) folders.push_back(entry.path() / "bin");
    for (const fs::path& folder : folders)
        if (access((folder / "ptxas").c_str(), X_OK) == 0) return folder / "ptxas";
    return std::nullopt;
}

/// Runs a program silently; returns whether it succeeded.
bool runs(const std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        execv(arguments.front(), arguments.data());
        _exit(127);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A folder removed with this object.
class Folder {
public:
    Folder() {
        std::string name = (fs::temp_directory_path() / "swirl-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr)
            throw UserError("no folder can be made in {}: {}", fs::temp_directory_path().string(),
                            std::strerror(errno));
        path_ = name;
    }
    ~Folder() {
        std::error_code none;
        fs::remove_all(path_, none);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

std::optional<sass::Bytes> assemble(const fs::path& assembler, const std::string& ptx,
                                    const std::string& target) {
    const Folder folder;
    const std::string source = (folder.path() / "kernel.ptx").string(), code = source + ".cubin";
    std::ofstream(source) << ptx;
    if (!runs({assembler.string(), "-arch=" + target, "-o", code, source})) return std::nullopt;
    std::ifstream stream(code, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    sass::Bytes result(text.size());
    std::memcpy(result.data(), text.data(), text.size());
    return result;
}

sass::KernelScore score_of(const sass::Bytes& code, const std::string& kernel) {
    const sass::Cubin cubin(code);
    return sass::score(cubin, cubin.kernel(kernel));
}

} // namespace

CompiledKernel compile_for_inspection(const std::string& ptx, const std::string& kernel,
                                      const target::Gpu& gpu, std::optional<int> device, bool reorder_sass) {
    CompiledKernel result;
    if (!sass::is_read(gpu.capability_major)) {
        result.missing =
            fmt::format("machine code of compute capability {}.{} is not decoded; that of 7.0 to 9.0 is",
                        gpu.capability_major, gpu.capability_minor);
        return result;
    }
    const std::string target = fmt::format("sm_{}{}", gpu.capability_major, gpu.capability_minor);
    std::optional<sass::Bytes> code;
    if (device) {
        const runtime::GpuDevice& gpu_at_hand = runtime::device_numbered(*device);
        result.compiler = "the driver";
        code = runtime::machine_code(gpu_at_hand, ptx);
    } else if (const auto assembler = find_assembler()) {
        result.compiler = assembler->string();
        code = assemble(*assembler, ptx, target);
    } else {
        result.missing =
            "no compiler of PTX is here: with --device gpu the driver's is used, else ptxas in PATH, under "
            "$CUDA_HOME or in /usr/local/cuda*";
        return result;
    }
    try {
        if (!code) throw UserError("the compiler rejects the kernel");
        result.score = score_of(*code, kernel);
        if (reorder_sass) {
            const sass::ReorderedLoop loop = sass::reorder_main_loop(*code, target);
            result.not_reordered_because = loop.not_reordered_because;
            if (loop.not_reordered_because.empty()) result.reordered = score_of(loop.image, kernel);
        }
    } catch (const UserError& error) {
        result.missing = fmt::format("{}: {}", result.compiler, error.what());
    }
    return result;
}

namespace {

/// The main loop as compiled and, next to it, the reordered one if it exists.
std::string text_of_loops(const sass::LoopScore& loop, const sass::LoopScore* other) {
    std::vector<std::string> header = {"compiled main loop", "per thread and iteration"};
    if (other != nullptr) header.emplace_back("reordered");
    Table table(header);
    const auto add = [&](std::string_view name, auto figure) {
        std::vector<std::string> row = {std::string(name), std::to_string(figure(loop))};
        if (other != nullptr) row.push_back(std::to_string(figure(*other)));
        table.add(row);
    };
    using sass::LoopScore;
    for (int kind = 0; kind < sass::kinds; ++kind) {
        const auto count = [kind](const LoopScore& of) { return of.counts[static_cast<std::size_t>(kind)]; };
        if (count(loop) > 0 || (other != nullptr && count(*other) > 0))
            add(sass::name_of(static_cast<sass::Kind>(kind)), count);
    }
    add("all instructions", [](const LoopScore& of) { return of.instructions; });
    add("waiting for scoreboards", [](const LoopScore& of) { return of.waits; });
    add("after which the warp yields", [](const LoopScore& of) { return of.yields; });
    add("operands from banks of registers", [](const LoopScore& of) { return of.register_reads; });
    add("operands from the reuse cache", [](const LoopScore& of) { return of.reuse_hits; });
    add("operands that were cached and not reused", [](const LoopScore& of) { return of.missed_reuses; });
    add("cycles lost to banks of registers", [](const LoopScore& of) { return of.bank_cycles; });
    add("cycles of issue", [](const LoopScore& of) { return of.issue_cycles; });
    add("cycles of a warp alone, without waits", [](const LoopScore& of) { return of.single_warp_cycles; });
    return table.text();
}

std::string text_of_issue(const sass::LoopScore& loop) {
    return fmt::format(
        "{:.1f}% of the instructions are multiply-adds, {:.1f}% of the peak is left by what "
        "issue and banks allow\n",
        100 * loop.fma_fraction(), 100 * loop.peak_fraction());
}

Json json_of(const sass::LoopScore& loop) {
    Json counts = Json::object();
    for (int kind = 0; kind < sass::kinds; ++kind)
        if (const int count = loop.counts[static_cast<std::size_t>(kind)]; count > 0)
            counts[std::string(sass::name_of(static_cast<sass::Kind>(kind)))] = count;
    return {{"counts", counts},
            {"instructions", loop.instructions},
            {"multiply_adds", loop.multiply_adds},
            {"waits", loop.waits},
            {"yields", loop.yields},
            {"register_reads", loop.register_reads},
            {"reuse_hits", loop.reuse_hits},
            {"missed_reuses", loop.missed_reuses},
            {"bank_cycles", loop.bank_cycles},
            {"issue_cycles", loop.issue_cycles},
            {"lone_cycles", loop.single_warp_cycles},
            {"multiply_add_fraction", loop.fma_fraction()},
            {"peak_fraction", loop.peak_fraction()}};
}

} // namespace

std::string text_of_kept_order(const std::string& because) {
    return because.empty() ? "" : fmt::format("main loop  not reordered: {}\n", because);
}

std::string text_of(const CompiledKernel& compiled) {
    if (!compiled.score) return fmt::format("compiled   {}\n", compiled.missing);
    const sass::KernelScore& score = *compiled.score;
    std::string text = fmt::format("compiled   by {}: {} registers, {} instructions, {} of spills\n",
                                   compiled.compiler, score.registers, score.instructions, score.spills);
    if (!score.loop) return text + "           no loop contains FMAs\n";
    const bool has_other = compiled.reordered && compiled.reordered->loop;
    const sass::LoopScore* const other = has_other ? &*compiled.reordered->loop : nullptr;
    text += "\n" + text_of_loops(*score.loop, other) + "issue      " + text_of_issue(*score.loop);
    if (other != nullptr)
        text += fmt::format(
            "reordered  proved to give the same bits: {} cycles of issue instead of {}\n"
            "           {}",
            other->issue_cycles, score.loop->issue_cycles, text_of_issue(*other));
    return text + text_of_kept_order(compiled.not_reordered_because);
}

Json json_of(const CompiledKernel& compiled) {
    if (!compiled.score) return {{"missing", compiled.missing}};
    const sass::KernelScore& score = *compiled.score;
    Json result = {{"compiler", compiled.compiler},
                   {"registers", score.registers},
                   {"instructions", score.instructions},
                   {"spills", score.spills}};
    if (score.loop) result["main_loop"] = json_of(*score.loop);
    if (compiled.reordered && compiled.reordered->loop)
        result["reordered_main_loop"] = json_of(*compiled.reordered->loop);
    if (!compiled.not_reordered_because.empty())
        result["not_reordered_because"] = compiled.not_reordered_because;
    return result;
}

} // namespace swirl::cli
