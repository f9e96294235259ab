#pragma once

#include "support/temporary_folder.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace swirl::emit {

/// Standalone C++ compiled into a shared object by a compiler of this machine and loaded.
class CompiledText {
public:
    /// Throws with the compiler's messages when there is a warning or an error.
    CompiledText(std::string_view text, const std::string& compiler, const std::string& flags) {
        const std::string source = (folder_.path() / "kernel.cpp").string();
        const std::string object = (folder_.path() / "kernel.so").string();
        const std::string log = (folder_.path() / "log").string();
        std::ofstream(source) << text;
        const std::string command = compiler +
                                    " -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -ffp-contract=off "
                                    "-shared -fPIC " +
                                    flags + " -o " + object + " " + source + " > " + log + " 2>&1";
        if (std::system(command.c_str()) != 0) {
            std::stringstream messages;
            messages << command << "\n" << std::ifstream(log).rdbuf();
            throw std::runtime_error(messages.str());
        }
        handle_ = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (handle_ == nullptr) throw std::runtime_error(dlerror());
    }
    ~CompiledText() {
        if (handle_ != nullptr) dlclose(handle_);
    }
    CompiledText(const CompiledText&) = delete;
    CompiledText& operator=(const CompiledText&) = delete;

    template <class Function> Function* function(const std::string& name) const {
        void* address = dlsym(handle_, name.c_str());
        if (address == nullptr) throw std::runtime_error(dlerror());
        return reinterpret_cast<Function*>(address);
    }

private:
    TemporaryFolder folder_;
    void* handle_ = nullptr;
};

/// The build's own compiler, and g++ and clang++ where they are.
inline std::vector<std::string> compilers() {
    std::vector<std::string> found;
    for (const char* name : {"g++", "clang++"})
        if (std::system((std::string("command -v ") + name + " > /dev/null 2>&1").c_str()) == 0)
            found.emplace_back(name);
    if (found.empty()) found.emplace_back(SWIRL_CXX_COMPILER);
    return found;
}

} // namespace swirl::emit
