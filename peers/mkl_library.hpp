#pragma once

#include "peers/shared_library.hpp"

#include <string>

namespace swirl::peers {

/// Intel's oneMKL, opened on first use.
class MklLibrary {
public:
    static const MklLibrary& get();

    /// Why it cannot be used; empty when it can.
    std::string absent_because() const;
    /// "oneMKL 2025.3, kernels of libmkl_avx512.so.3": the kernels once something was computed.
    std::string version() const;
    /// The first call counts: MKL loads one set of libraries.
    void use_threads(int threads) const;

    const SharedLibrary& library() const { return library_; }

private:
    MklLibrary();

    SharedLibrary library_;
    bool complete_ = false;
    void (*get_version_)(char*, int) = nullptr;
    int (*set_threading_layer_)(int) = nullptr;
    void (*set_num_threads_)(int) = nullptr;
};

} // namespace swirl::peers
