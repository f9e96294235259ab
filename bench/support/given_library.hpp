#pragma once

#include "base/error.hpp"
#include "peers/shared_library.hpp"

#include <string>

namespace swirl::bench {

/// A library whose file is given on the command line.
class GivenLibrary {
public:
    /// Throws UserError where it cannot be opened.
    explicit GivenLibrary(const std::string& file) : file_(file), library_({file}) {
        if (!library_.is_open()) throw UserError("{}", library_.absent_because());
    }

    /// The function or variable called `name`. Throws UserError if there is none.
    template <class Symbol> Symbol* symbol(const std::string& name) const {
        Symbol* found = nullptr;
        if (!library_.load(found, name)) throw UserError("{} has no {}", file_, name);
        return found;
    }

private:
    std::string file_;
    peers::SharedLibrary library_;
};

} // namespace swirl::bench
