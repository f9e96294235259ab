#include "emit/nvrtc.hpp"

#include "support/run_program.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace swirl::emit {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> folders_in(const fs::path& folder, std::string_view prefix) {
    std::vector<fs::path> result;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none))
        if (entry.path().filename().string().starts_with(prefix)) result.push_back(entry.path());
    return result;
}

/// Of CUDA's toolkits, and of Python's packages nvidia.*.
std::vector<fs::path> library_folders() {
    std::vector<fs::path> roots = folders_in("/usr/local", "cuda");
    if (const char* home = std::getenv("CUDA_HOME")) roots.insert(roots.begin(), home);
    std::vector<fs::path> pythons = {"/usr/lib", "/usr/local/lib"};
    if (const char* home = std::getenv("HOME")) pythons.push_back(fs::path(home) / ".local" / "lib");
    for (const fs::path& python : pythons)
        for (const fs::path& version : folders_in(python, "python3"))
            for (const char* packages : {"dist-packages", "site-packages"})
                for (const fs::path& package : folders_in(version / packages / "nvidia", "cu"))
                    roots.push_back(package);
    std::vector<fs::path> result;
    for (const fs::path& root : roots)
        for (const char* name : {"lib64", "lib"}) result.push_back(root / name);
    return result;
}

struct Nvrtc {
    void* handle;

    template <class... Arguments> int call(const char* name, Arguments... arguments) const {
        void* function = dlsym(handle, name);
        return function == nullptr ? -1 : reinterpret_cast<int (*)(Arguments...)>(function)(arguments...);
    }
};

std::string compile(const std::string& library, const std::string& text,
                    const std::vector<std::string>& options) {
    const Nvrtc nvrtc{dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)};
    if (nvrtc.handle == nullptr) return dlerror();
    void* program = nullptr;
    const char* const* no_names = nullptr;
    if (const int error =
            nvrtc.call("nvrtcCreateProgram", &program, text.c_str(), "kernels.cu", 0, no_names, no_names);
        error != 0)
        return "nvrtcCreateProgram: " + std::to_string(error);
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    const int status = nvrtc.call("nvrtcCompileProgram", program, static_cast<int>(words.size()),
                                  static_cast<const char* const*>(words.data()));
    std::size_t size = 0;
    nvrtc.call("nvrtcGetProgramLogSize", program, &size);
    std::string log(size, '\0');
    if (size > 0) nvrtc.call("nvrtcGetProgramLog", program, log.data());
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n')) log.pop_back();
    return status == 0 || !log.empty() ? log : "it failed without a word: " + std::to_string(status);
}

} // namespace

std::optional<std::string> nvrtc_library() {
    for (const fs::path& folder : library_folders())
        for (const fs::path& file : folders_in(folder, "libnvrtc.so")) return file.string();
    if (void* handle = dlopen("libnvrtc.so", RTLD_NOW | RTLD_LOCAL)) {
        dlclose(handle);
        return "libnvrtc.so";
    }
    return std::nullopt;
}

/// In a process of its own: the compiler keeps memory and threads.
std::string nvrtc_complaints(const std::string& library, const std::string& text, const std::string& target,
                             const std::vector<std::string>& more_options) {
    std::vector<std::string> options = {"--gpu-architecture=" + target, "--fmad=false"};
    options.insert(options.end(), more_options.begin(), more_options.end());
    const TemporaryFolder folder;
    const fs::path answer = folder.path() / "answer";
    const pid_t child = fork();
    if (child == 0) {
        std::ofstream(answer) << "answer:" << compile(library, text, options);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return "no process for the compiler";
    const std::string words = support::content_of(answer);
    return words.starts_with("answer:") ? words.substr(7) : "the compiler died";
}

} // namespace swirl::emit
