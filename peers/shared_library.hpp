#pragma once

#include <string>
#include <vector>

namespace swirl::peers {

/// A shared library opened at run time; never closed, as plans live as long as the program may.
class SharedLibrary {
public:
    enum class Symbols {
        shared, ///< as the dynamic linker has it
        own,    ///< the library prefers its own functions to those of the same names loaded before
    };

    /// Opens the first of the files that is there.
    explicit SharedLibrary(const std::vector<std::string>& files, Symbols symbols = Symbols::shared);

    bool is_open() const { return handle_ != nullptr; }
    /// "libfftw3.so.3 was not found"
    const std::string& absent_because() const { return absent_because_; }

    /// Sets `function` to the function or variable called `name`; null and false where there is none.
    template <class Function> bool load(Function*& function, const std::string& name) const {
        function = reinterpret_cast<Function*>(find(name));
        return function != nullptr;
    }

private:
    void* find(const std::string& name) const;

    void* handle_ = nullptr;
    std::string absent_because_;
};

/// The file that an environment variable names; without it these, relative to the program's folder.
std::vector<std::string> files_beside_program(const char* variable, const std::vector<std::string>& names);

/// The name of the loaded library whose file name begins with one of these, the first that there is; or empty.
std::string loaded_library(const std::vector<std::string>& beginnings);

} // namespace swirl::peers
